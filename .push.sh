# commit message $1
cd /tmp/w_rel; export PYTHONPATH=.; H="/work/main/.venv/bin/python -m tests.house"
git add -A; git reset -q .scratch_* .t.sh .push.sh; git commit -qm "$1"
bash /tmp/push.sh /tmp/w_rel
$H | grep "more than"
