"""Searches under required and forbidden ancestors, around searches that know arcs alone.

A search without these pairs is a relaxation: its bound holds for all networks, and its network may break a pair. Then
the networks are split so that each part has an arc, or lacks arcs, that the broken pair needs; a part is a selection
of the listed sets, and is searched in turn.

branches    the parts of a broken pair: selections of listed sets
repair      the nearest network of listed sets that keeps all pairs, and a climb among these
lists       the tree of parts, around any search among listed sets
data        first graphs for climbs, and pricing
"""
