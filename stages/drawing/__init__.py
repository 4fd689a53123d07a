"""Layered drawings of networks (Sugiyama, Tagawa and Toda 1981): parents above children, arrows downward.

`layers` assigns layers, `crossings` orders them, `coordinates` assigns horizontal positions, `routes` leads arcs
around boxes. `box_layout` does all four for each connected part and packs the parts side by side. `overview` draws
large networks in frames, one for each cluster of variables; `network_drawing` makes the drawing. It is deterministic.
"""
