"""Layered drawings of networks (Sugiyama, Tagawa and Toda 1981): parents above children, arrows downward.

`layers` assigns layers, `crossings` orders them, `coordinates` assigns horizontal positions. `box_layout` does all
three for each connected part, packs the parts side by side and routes the arcs. `overview` draws large networks in
frames, one for each cluster of variables; `network_drawing` makes the drawing. It is deterministic.
"""
