"""Findings that files of networks store are left out, and a warning names them."""

from __future__ import annotations

import io

import pytest

from formats import open_graph, open_network

BIF = """network n {{ {network} }}
variable A {{ type discrete [ 2 ] {{ yes, no }}; {variable} }}
variable evidence {{ type discrete [ 2 ] {{ observed, evidence }}; property position = (1, 2); }}
probability ( A ) {{ table 0.3, 0.7; {table} }}
probability ( evidence | A ) {{ (yes) 0.1, 0.9; (no) 0.2, 0.8; }}
"""
NET = """net {{ comment = "evidence = 1"; {network} }}
node A {{ states = ("yes" "no"); label = "evidence"; {variable} }}
node evidence {{ states = ("observed" "evidence"); }}
potential (A) {{ data = (0.3 0.7); }}
potential (evidence | A) {{ data = ((0.1 0.9) (0.2 0.8)); {table} }}
"""
XMLBIF = """<?xml version="1.0"?><BIF VERSION="0.3"><NETWORK><NAME>n</NAME>{network}
<VARIABLE TYPE="nature"{table}><NAME>A</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME>{variable}</VARIABLE>
<VARIABLE TYPE="nature"><NAME>evidence</NAME><OUTCOME>observed</OUTCOME><OUTCOME>evidence</OUTCOME>
<PROPERTY>position = (1, 2)</PROPERTY></VARIABLE>
<DEFINITION><FOR>A</FOR><TABLE>0.3 0.7</TABLE></DEFINITION>
<DEFINITION><FOR>evidence</FOR><GIVEN>A</GIVEN><TABLE>0.1 0.9 0.2 0.8</TABLE></DEFINITION></NETWORK></BIF>
"""
XDSL = """<?xml version="1.0"?><smile version="1.0" id="n"><nodes>
<cpt id="A" diagtype="observation"{table}><state id="yes"/><state id="no"/>
<probabilities>0.3 0.7</probabilities>{variable}</cpt>
<cpt id="evidence"><state id="observed"/><state id="evidence"/><parents>A</parents>
<probabilities>0.1 0.9 0.2 0.8</probabilities></cpt></nodes>{network}
<extensions><genie version="1.0"><node id="A"><name>evidence</name></node></genie></extensions></smile>
"""
DOT = 'digraph {{ A [color=red {variable}]; evidence; A -> evidence [label="evidence = 1"]; {network} {table} }}'
GRAPHML = """<graphml><key id="d1" for="node" attr.name="{variable}"/><key id="d2" for="node" attr.name="x"/>
<graph edgedefault="directed"><node id="A"><data key="d1">yes</data><data key="d2">1</data></node>
<node id="evidence"/><edge source="A" target="evidence"/></graph></graphml>
"""


@pytest.mark.parametrize(
    ("text", "place", "stored", "named"),
    [
        (BIF, "variable", "evidence = yes;", "A: yes"),
        (BIF, "variable", "property observed yes;", "A: yes"),
        (BIF, "variable", 'property "observed yes";', "A: yes"),
        (BIF, "variable", "property EVIDENCE = yes;", "A: yes"),
        (BIF, "network", 'property evidence = "A=yes";', "A=yes"),
        (BIF, "table", "property finding = yes;", "A: yes"),
        (NET, "variable", 'evidence = "yes";', "A: yes"),
        (NET, "variable", "finding = yes;", "A: yes"),
        (NET, "network", 'evidence = "A = yes";', "A = yes"),
        (NET, "table", 'observed = "evidence";', "evidence: evidence"),
        (XMLBIF, "variable", "<OBS>yes</OBS>", "A: yes"),
        (XMLBIF, "variable", "<PROPERTY>observed yes</PROPERTY>", "A: yes"),
        (XMLBIF, "variable", "<PROPERTY>evidence = yes</PROPERTY>", "A: yes"),
        (XMLBIF, "table", ' EVIDENCE="yes"', "A: yes"),
        (XMLBIF, "network", "<PROPERTY>evidence = A=yes</PROPERTY>", "A=yes"),
        (XMLBIF, "network", '<EVIDENCE variable="A">yes</EVIDENCE>', "A: yes"),
        (XDSL, "variable", '<property id="evidence">yes</property>', "A: yes"),
        (XDSL, "table", ' evidence="yes"', "A: yes"),
        (XDSL, "network", '<cases><case name="c"><evidence node="A" state="yes"/></case></cases>', "A: yes"),
        (DOT, "variable", ", evidence=yes", "A: yes"),
        (DOT, "network", 'evidence="A=yes"', "A=yes"),
        (DOT, "table", "node [observed=yes]", "yes"),
        (GRAPHML, "variable", "evidence", "A: yes"),
    ],
)
def test_a_warning_names_them(text: str, place: str, stored: str, named: str):
    for content in (stored, ""):
        source = text.format(**{"network": "", "variable": "", "table": ""} | {place: content})
        for read in (open_network, open_graph):
            said: list[str] = []
            network = read(io.BytesIO(source.encode()), warn=said.append)
            assert [tuple(parents) for parents in network.parents] == [(), (0,)]
            expected = f"<stream>: findings stored in the file are left out ({named}): give them to query"
            assert said == ([expected] if content else [])
