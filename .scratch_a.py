import sys
from tests.contracts.test_verification import result_of
for name in sys.argv[1:]:
    r=result_of(name)
    for row in r.rows: print(row.term,row.group,row.role,row.interval,row.test,row.estimate,row.std_error,row.df,row.conf_low,row.conf_high,row.statistic,row.p_value,row.p_adjusted)
    v=r.verify()
    nums=v.numbers()
    print(name, sum(ok is None for at,ok in nums.items() if at[1]!='counts'), len([1 for at in nums if at[1]!='counts']), repr(v))
    print({k:v for k,v in r.settings.items()})
