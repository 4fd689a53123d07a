"""Layered drawings of networks (Sugiyama, Tagawa and Toda 1981): parents above children, arrows downward.

`layers` assigns layers, `crossings` orders them, `coordinates` assigns horizontal positions. `layout` does all three
for each connected part, packs the parts side by side and routes the arcs. `clusters` and `overview` draw large
networks in frames; `networks` makes the drawing. It is deterministic.
"""
