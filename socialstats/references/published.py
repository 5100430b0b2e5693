"""Checks of published numbers."""

from __future__ import annotations

from socialstats.references.work import Reference

PUBLISHED: dict[str, Reference] = {
    "brownheathers2017": Reference(
        authors="Brown, N. J. L., & Heathers, J. A. J.", year=2017,
        title="The GRIM test: A simple technique detects numerous anomalies in the reporting of results in psychology",
        venue="Social Psychological and Personality Science, 8(4), 363-369", doi="10.1177/1948550616673876"),
    "anaya2016": Reference(
        authors="Anaya, J.", year=2016,
        title="The GRIMMER test: A method for testing the validity of reported measures of variability",
        venue="PeerJ Preprints, 4, e2400v1", doi="10.7287/peerj.preprints.2400v1"),
    "allard2018": Reference(
        authors="Allard, A.", year=2018,
        title="Analytic-GRIMMER: A new way of testing the possibility of standard deviations", venue="Web page"),
    "heathersbrown2019": Reference(
        authors="Heathers, J. A. J., & Brown, N. J. L.", year=2019,
        title="DEBIT: A simple consistency test for binary data", venue="OSF, https://osf.io/5vb3u"),
    "bhatiadavis2000": Reference(
        authors="Bhatia, R., & Davis, C.", year=2000, title="A better bound on the variance",
        venue="American Mathematical Monthly, 107(4), 353-357", doi="10.1080/00029890.2000.12005203"),
}  # fmt: skip
