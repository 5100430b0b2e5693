"""Study relationship-bias: with whom does a model side in a couple?"""
