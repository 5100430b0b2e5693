import sys,time; sys.path.insert(0,'/tmp/w_bt')
exec(open('.scratch_t.py').read().split("for ties in")[0])
import pandas as pd
rng=np.random.default_rng(0); n=9000; k=59
a=rng.integers(0,k,n); b=(a+rng.integers(1,k,n))%k
th=rng.normal(0,.7,k); u=rng.random(n); p=1/(1+np.exp(th[b]-th[a]))
w=np.where(u<.15,"tie",np.where(rng.random(n)<p,[f"m{i}" for i in a],[f"m{i}" for i in b]))
f=pd.DataFrame(dict(item_a=[f"m{i}" for i in a],item_b=[f"m{i}" for i in b],winner=w,worker=rng.integers(0,400,n),prompt=rng.integers(0,1000,n)))
d=ss.Comparisons.from_frame(f,cluster=("worker","prompt"))
for o in (dict(),dict(cluster="worker"),dict(cluster=None)):
    t=time.time(); fit=ss.bradley_terry(d,**o); print("fit",time.time()-t); show(o,fit); show("pairwise",fit.pairwise())
    show("worth", fit.worth())
