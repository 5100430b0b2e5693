import sys; sys.path.insert(0,'/tmp/w_bt')
exec(open('.scratch_t.py').read().split("for ties in")[0])
from tests.contracts.test_derived import halves
from tests.contracts.subjects import subject_of
for alt in ("two_sided","less","greater"):
  for ci in ("jackknife","basic"):
    r=ss.sensitivity_difference(*halves("win_rates"), unmatched="drop", resamples=200, alternative=alt, ci=ci)
    show((alt,ci), r)
d=subject_of("sensitivity"); d=d.design(d.rows())
for ci in ("jackknife","basic","percentile","bca"):
  for w in ("opponent","pooled"):
    for c in ("auto",None,"worker",("worker","pair")):
      if ci=="bca" and isinstance(c,tuple): continue
      try: show((ci,w,c), ss.sensitivity(d, ci=ci, weights=w, cluster=c, resamples=199, level=.9))
      except Exception as e: print(e)
