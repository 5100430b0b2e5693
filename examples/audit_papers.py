"""Five papers audited from their tables alone: what reproduces, what does not, and what could not have been seen.

Run it from a clone: ``python examples/audit_papers.py [FOLDER]``. It writes audit_papers.html beside where it is run.
FOLDER may hold the released answers of the social-norms paper (adamet_*.csv, CC BY-NC 4.0, not bundled). A linear
program then shows whether its sums can belong to its rows.
"""

from __future__ import annotations

import sys
from pathlib import Path

import socialstats as ss
from socialstats.audit.findings.show import headline

PAGE = Path("audit_papers.html")
RELEASED = ("adamet_published_distance_sums.csv", "adamet_llm_answers.csv", "adamet_rots.csv")


def main() -> None:
    """Print what each audit found, and write the page."""
    files = [Path(folder) / name for folder in sys.argv[1:2] for name in RELEASED]
    reports = [
        ss.audit.audit(files if name == "003" else [], rules)
        for name, rules in ss.audit.papers().items()
    ]
    for report in reports:
        print(f"\n{report.title}\n   {headline(report)}")
        for rule, findings in report.by_rule():
            agree = sum(finding.verdict == "agree" for finding in findings)
            idle = sum(finding.verdict in ("no_power", "not_checkable") for finding in findings)
            note = f" ({idle} without power, or not checkable)" if idle else ""
            print(f"   {agree:>4} of {len(findings) - idle:>3}  {rule.name}{note}")
        for repair in report.repairs:
            print(f"   one digit: {repair.message}")

    print("\nThree numbers by hand")
    t = ss.audit.paired_t_feasible("4.85", "0.16", 1, 1546)
    print(f"   entropy: {t.message}")
    coin = ss.audit.sensitivity_reference("100", "coin")
    print(f"   sensitivity: {coin.message}")
    small = ss.audit.mcnemar_bounds("0.019", 320, significant=True, exact_test=True)
    print(f"   couples: {small.message}")
    write(reports)


def write(reports: list[ss.audit.AuditReport]) -> None:
    """Render the page."""
    import socialstats_reports

    title = "Five papers audited from their tables"
    page = socialstats_reports.render_audit(
        reports, title=title, command="python examples/audit_papers.py"
    )
    PAGE.write_text(page, encoding="utf-8")
    print(f"   wrote {PAGE}")


if __name__ == "__main__":
    main()
