"""Study staged-values: which traits does a model show, stage by stage?"""
