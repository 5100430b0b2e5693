import ast,pathlib,re,sys
root=pathlib.Path('.')
text={p:p.read_text() for d in ('socialstats','tests') for p in (root/d).rglob('*.py')}
for p in sorted((root/'socialstats/crosscheck').glob('*.py')):
    tree=ast.parse(text[p])
    for n in ast.walk(tree):
        names=[]
        if isinstance(n,(ast.FunctionDef,ast.ClassDef)): names=[n.name]
        elif isinstance(n,ast.Assign) and n in tree.body: names=[t.id for t in n.targets if isinstance(t,ast.Name)]
        for name in names:
            if name.startswith('__'): continue
            uses={q:len(re.findall(r'\b%s\b'%re.escape(name),t)) for q,t in text.items()}
            tot=sum(uses.values())
            src=sum(v for q,v in uses.items() if 'crosscheck' in str(q) or str(q).startswith('socialstats'))
            if src<=1: print(p.name,name,tot)
