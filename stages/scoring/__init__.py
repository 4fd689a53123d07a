"""Local scores of families on one data set, computed on demand: shared by parent sets, pricing and hill climbing."""
