import ast,sys,pathlib
p=pathlib.Path(sys.argv[1]); names=set(sys.argv[2:])
src=p.read_text(); lines=src.split('\n'); tree=ast.parse(src)
cut=[]
def visit(body):
    for n in body:
        nm=None
        if isinstance(n,(ast.FunctionDef,ast.ClassDef)): nm=n.name
        elif isinstance(n,ast.Assign) and isinstance(n.targets[0],ast.Name): nm=n.targets[0].id
        if nm in names:
            start=min([n.lineno]+[d.lineno for d in getattr(n,'decorator_list',[])])
            cut.append((start-1,n.end_lineno))
        elif isinstance(n,ast.ClassDef): visit(n.body)
visit(tree.body)
for a,b in sorted(cut,reverse=True): del lines[a:b]
p.write_text('\n'.join(lines))
