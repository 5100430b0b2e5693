import sys,time; sys.path.insert(0,'/tmp/w_bt')
from tests.studies.study_examples import PAGES, outcome_of
from tests.studies.test_numbers_recomputed import numbers_of, COUNTS
from socialstats_reports import as_json
import json
for name in sys.argv[1:] or PAGES:
    t=time.time(); o=outcome_of(name, verify=True); told=json.loads(as_json(o))["recomputed"]
    mets={r.metric for b in o.blocks for r in b.results}
    shown=numbers_of(o); counts=sum(n for (*_, f, _), n in shown.items() if f in COUNTS)
    rows=sum(t_["agree"]+t_["disagree"]+t_["unchecked"] for k,t_ in told["by_kind"].items() if k not in ("counts","other values"))
    print(name, "agree %.2f of rows"%(told["agree"]/rows), told["disagree"], told["not_recomputed"], 'BT' if 'bradley_terry' in mets else '', round(time.time()-t,1), flush=True)
