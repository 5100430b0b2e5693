import numpy as np, time, sys
import socialstats as ss
assert ss.__file__.startswith('/tmp/w_bt')
sys.path.insert(0,'/tmp/w_bt')
from tests.metrics.test_bradley_terry_verify import crossed
def show(n, r):
    t=time.time(); v=r.verify(); 
    print(n, v.ok, repr(v)[:300], round(time.time()-t,2))
    bad=[c for c in v if c.ok is False]
    for c in bad[:6]: print('   BAD', c.quantity, c.ours, c.theirs, c.tolerance, c.package)
    for c in v:
        if c.note and 'taken' not in c.note and 'no independent' not in c.note: print('   note', c.quantity, c.note); break
for ties in ["none","half","davidson","rao_kupper"]:
  for o in [{"cluster": "worker"},
        {"formula": "~ urgency", "order": True},
        {"formula": "~ C(urgency)", "vcov": "sandwich"},
        {"cluster": ("worker", "prompt"), "reference": "i05"},
        {"penalty": "firth", "vcov": "model"},
        {"prior": 0.5, "cluster": "pair"},
        {"formula": "~ urgency", "strengths": "none", "vcov": "model"}]:
    if ties == "rao_kupper" and o.get("penalty"): continue
    fit = ss.bradley_terry(crossed(drop_ties=ties == "none"), ties=ties, **o)
    show((ties,o), fit)
for c in (None,"worker"):
    fit=ss.bradley_terry(crossed(), cluster=c)
    a,b=fit.items[:2]
    for n,r in dict(worth=fit.worth(), ranks=fit.ranks(), quasi=fit.quasi_variances(), pair=fit.pairwise(), c=fit.contrast(f"{a} - {b}"), p=fit.predict(a,b), w=fit.win_probability(a,b), g=fit.goodness_of_fit(), boot=fit.bootstrap(resamples=50, level=.9), one=fit.contrast(f"{a} - {b}", alternative="less"), bon=fit.pairwise(adjust="bonferroni"), none=fit.pairwise(adjust="none")).items():
        show(n,r)
print("----")
fit=ss.bradley_terry(crossed(), "~ urgency", cluster="worker")
show("sds", fit.effect_in_sds("urgency"))
fit=ss.bradley_terry(crossed(), "~ urgency", cluster=None)
show("sds", fit.effect_in_sds("urgency")); show("pred", fit.predict(*fit.items[:2], covariates={"urgency":(1,2)}))
small=ss.bradley_terry(crossed(), cluster=None); show("anova", fit.anova(small))
fit=ss.bradley_terry(crossed(drop_ties=True), "~ urgency", cluster=None,order=True)
small=ss.bradley_terry(crossed(drop_ties=True), cluster=None, order=True); show("anova", fit.anova(small))
g={x: 'abc'[i%3] for i,x in enumerate(fit.items)}
for ci in ("delta","basic"):
    show("ps", ss.preference_shares(small, g, ci=ci, resamples=100)); show("ps", ss.preference_shares(fit, g, ci=ci, resamples=100,alternative="greater"))
from tests.metrics.test_bradley_terry_difference import votes, fits
for cl in (None,"judge",["judge","prompt"]):
  for k in "jk":
    one, two = fits(votes(4, 7, 70, 0.4), votes(5, 8, 60, 0.4, k), cl)
    show(("diff",cl,k), ss.bradley_terry_difference(one,two))
