"""Texts that look like a format: random sentences of small grammars, with few names so that some make sense.

A symbol in angle brackets is replaced by one of its alternatives; the deeper the sentence, the shorter those chosen.
"""

from __future__ import annotations

import re
from random import Random

_SYMBOL = re.compile(r"<([a-z_]+)>")
DEEPEST = 12

_COMMON = {
    "name": ["a", "b", "c", "a", "b", "c", "d", '"a b"', "x1", "é", "V0", "type", "-1.5", '"\\""', ""],
    "word": ["a", "b", "c", "0", "1", "yes", "no", "é"],
    "number": ["0", "1", "-1", "-2.5", "0.5", "0.25", "1e3", "1e400", "nan", "-inf", "3,5", "99999999999999999999"],
    "count": ["0", "1", "1", "2", "2", "3", "4", "5", "-1", "4000000000", "x"],
    "share": ["0.5", "0.5", "0.25", "0.75", "1", "0", "0.1", "1e-9", "-0.5", "2", "nan"],
    "blank": ["", "", " ", "  ", "\n", "\t"],
}

_JSON = {
    "variables": ["<variable>", "<variable>,<variable>", "<variable>,<variable>,<variable>"],
    "variable": [
        '{"name":"<word>","states":["0","1"]}',
        '{"name":"<word>","states":null}',
        '{"name":"<word>","states":["<word>","<word>"]}',
        '{"name":"<word>"}',
        '"<word>"',
        '{"name":<number>,"states":[]}',
    ],
    "records": ["<record>", "<record><record>", "<record><record><record>", "<record><records>"],
    "set": ["[]", "[0]", "[1]", "[2]", "[0,1]", "[1,2]", "[<count>]", "[1,0]"],
    "index": ["0", "0", "1", "1", "2", "3", "<count>"],
    "score": ["-1.5", "-2.5", "-3", "-1.5", "null", "<number>", "0"],
    "more": [
        "",
        "",
        ',"fixed":true',
        ',"complete":true',
        ',"unlisted":<score>',
        ',"left_out":<share>',
        ',"required":<set>',
        ',"interrupted":true',
        ',"ended":"time"',
        ',"evaluated":<count>',
    ],
    "record": [
        '{"child":<index>,"parents":[[]],"scores":[<score>]<more>}\n',
        '{"child":<index>,"parents":[<set>],"scores":[<score>]<more>}\n',
        '{"child":<index>,"parents":[<set>,[]],"scores":[-1.5,-2.5]<more>}\n',
        '{"child":<index>,"parents":[<set>,<set>,[]],"scores":[<score>,<score>,<score>]<more>}\n',
    ],
    "fact": [
        "",
        "",
        ',"score":"bic"',
        ',"score":"bdeu","ess":<number>',
        ',"rows":<count>',
        ',"total":<score>',
        ',"bound":<score>,"gap":<number>',
        ',"records":<count>',
        ',"shard":"1/2"',
        ',"treewidth":{"bound":<count>,"width":<count>,"elimination":<set>}',
        ',"by":[{"stage":"parentsets","options":{"max_parents":<count>}}]',
    ],
}

GRAMMARS: dict[str, dict[str, list[str]]] = {
    "bnsl.parentsets": _JSON
    | {"start": ['{"format":"bnsl.parentsets","version":1<fact><fact>,"variables":[<variables>]}\n<records>']},
    "bnsl.network": _JSON
    | {"start": ['{"format":"bnsl.network","version":1<fact><fact>,"variables":[<variables>]}\n<records>']},
    "bnsl.forest": _JSON
    | {"start": ['{"format":"bnsl.forest","version":1<fact><fact>,"variables":[<variables>]}\n<records>']},
    "bnsl.arc-probabilities": {
        "start": ["parent,child,probability,standard_error,either<more>\n<rows>"],
        "more": ["", "", "", ",ancestor,ancestor_error", ",<word>"],
        "rows": ["<row>\n", "<row>\n<rows>", "<row>\n<row>\n<rows>"],
        "row": ["<word>,<word>,<share>,0,1", "<word>,<word>,<share>,<share>,<share>", "<word>,<word>,0.5,0,0.75,1,0",
                "<name>,<word>,<number>,0,1", '"a,b",c,1,0,1'],
    },
    "networks": _JSON
    | {
        "start": ["<network>", "<network><network>", "<network><network><network>"],
        "network": ['{"format":"bnsl.network","version":1<fact>,"variables":[<variables>]}\n<records>'],
    },
    "bif": {
        "start": ["network <name> {<blank>}\n<parts>", "<parts>"],
        "parts": ["<part>", "<part><parts>", "<part><part><parts>"],
        "part": ["<variable>", "<variable>", "<family>", "<family>", "// x\n", "/* x */\n"],
        "variable": [
            "variable <name> {\n type discrete [ 2 ] { <word>, <word> };\n}\n",
            "variable <name> {\n type discrete [ <count> ] { <word>, <word>, <word> };<property>\n}\n",
        ],
        "property": ["", " property x = <word> ;"],
        "family": [
            "probability ( <name> ) {\n table <share>, <share> ;\n}\n",
            "probability ( <name> | <name> ) {\n<rows>}\n",
            "probability ( <name> | <name>, <name> ) {\n<rows>}\n",
        ],
        "rows": ["<row>", "<row><row>", "<row><row><row><row>", "default <share>, <share>;\n", "table <share> <share> <share> <share>;\n"],
        "row": [" (<word>) <share>, <share>;\n", " (<word>, <word>) <share>, <share>;\n"],
    },
    "net": {
        "start": ["net\n{\n}\n<parts>", "<parts>"],
        "parts": ["<part>", "<part><parts>", "<part><part><parts>"],
        "part": ["<node>", "<node>", "<potential>", "<potential>", "% x\n"],
        "node": ["node <name>\n{\n states = ( \"<word>\" \"<word>\" );\n}\n", "node <name>\n{\n states = (\"<word>\");<blank>label = \"<word>\";\n}\n"],
        "potential": [
            "potential ( <name> )\n{\n data = ( <share> <share> );\n}\n",
            "potential ( <name> | <name> )\n{\n data = (( <share> <share> )( <share> <share> ));\n}\n",
            "potential ( <name> | )\n{\n}\n",
        ],
    },
    "xmlbif": {
        "start": ["<lt>BIF VERSION=\"0.3\">\n<lt>NETWORK>\n<parts><lt>/NETWORK>\n<lt>/BIF>\n"],
        "lt": ["<"],
        "parts": ["<part>", "<part><parts>", "<part><part><parts>"],
        "part": [
            '<lt>VARIABLE TYPE="nature"><lt>NAME><name><lt>/NAME><lt>OUTCOME><word><lt>/OUTCOME><lt>OUTCOME><word><lt>/OUTCOME><lt>/VARIABLE>\n',
            "<lt>DEFINITION><lt>FOR><name><lt>/FOR><lt>TABLE><share> <share><lt>/TABLE><lt>/DEFINITION>\n",
            "<lt>DEFINITION><lt>FOR><name><lt>/FOR><lt>GIVEN><name><lt>/GIVEN><lt>TABLE><share> <share> <share> <share><lt>/TABLE><lt>/DEFINITION>\n",
            "<lt>PROPERTY><name> = <word><lt>/PROPERTY>", "<lt>!-- <word> -->",
        ],
    },
    "xdsl": {
        "start": ['<lt>smile id="<name>">\n<lt>nodes>\n<parts><lt>/nodes>\n<lt>/smile>\n'],
        "lt": ["<"],
        "parts": ["<part>", "<part><parts>", "<part><part><parts>"],
        "part": [
            '<lt>cpt id="<name>"><states><lt>probabilities><share> <share><lt>/probabilities><lt>/cpt>\n',
            '<lt>cpt id="<name>"><states><lt>parents><name><lt>/parents><lt>probabilities><share> <share> <share> <share><lt>/probabilities><lt>/cpt>\n',
            '<lt>deterministic id="<name>"><states><lt>parents><name><lt>/parents><lt>resultingstates><word> <word><lt>/resultingstates><lt>/deterministic>\n',
            '<lt>noisymax id="<name>"/>',
        ],
        "states": ['<lt>state id="<word>"/><lt>state id="<word>"/>', '<lt>state id="<word>"/><lt>property id="<name>"><word><lt>/property>'],
    },
    "uai": {
        "start": ["BAYES\n<count>\n2 2 \n<count>\n1 0\n<scopes>\n2\n<share> <share>\n<tables><blank># <word> <word>\n",
                  "BAYES\n1\n2 \n1\n1 0\n2\n<share> <share>\n"],
        "scopes": ["2 0 1\n", "1 1\n", "<count> <count> <count>\n"],
        "tables": ["4\n<share> <share> <share> <share>\n", "2\n<share> <share>\n", "<count>\n<tables>"],
    },
    "dot": {
        "start": ["digraph {\n<lines>}", "strict digraph <name> {<lines>}\n", "graph {<lines>}", "digraph {<lines>"],
        "lines": ["<line>", "<line><lines>", "<line><line><lines>"],
        "line": ["<name>;\n", "<name> -> <name>;\n", "<name> -> <name> -> <name> [x=<word>]\n", "{<group>} -> {<group>};\n",
                 "subgraph s {<lines>} -> <name>\n", "node [<word>=<word>]\n", "<name> -- <name>\n", "a=b;\n", "# x\n"],
        "group": ["<name>", "<name>;<group>", "<name> -> <name>", "{<group>} -> {<group>}"],
    },
    "graphml": {
        "start": ['<?xml version="1.0"?>\n<lt>graphml><graph></graphml>', "<lt>graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><graph></graphml>"],
        "lt": ["<"],
        "graph": ['<lt>graph edgedefault="directed"><items></graph>', '<lt>graph edgedefault="undirected"><items></graph>'],
        "items": ["<item>", "<item><items>", "<item><item><items>"],
        "item": ['<lt>node id="<word>"/>', '<lt>node id="<word>"><lt>data key="name"><word></data></node>',
                 '<lt>edge source="<word>" target="<word>"/>', '<lt>key id="name" for="node" attr.name="name"/>', "<graph>"],
    },
    "modelstring": {
        "start": ["<families>", "<families>\n"],
        "families": ["<family>", "<family><families>", "<family><family><families>"],
        "family": ["[<word>]", "[<word>|<word>]", "[<word>|<word>:<word>]", "[<word>|]", "[|<word>]", "[<word>|<word>|<word>]"],
    },
    "jkl": {
        "start": ["<count>\n<blocks>", "# x\n<count>\n<blocks>"],
        "blocks": ["<block>", "<block><blocks>", "<block><block><blocks>"],
        "block": ["<word> 1\n-2.5 0\n", "<word> 2\n-1.5 1 <word>\n-2.5 0\n", "<word> <count>\n<sets>"],
        "sets": ["<set>", "<set><sets>"],
        "set": ["<number> 0\n", "<number> 1 <word>\n", "<number> 2 <word> <word>\n", "<number> <count> <word>\n"],
    },
    "pss": {
        "start": ["<metas><blocks>"],
        "metas": ["", "META pss_version = 0.1\n", "META score_type=<word>\nMETA num_records=<count>\n"],
        "blocks": ["<block>", "<block><blocks>", "<block><block><blocks>"],
        "block": ["VAR <word>\nMETA arity=<count>\n<sets>\n", "VAR <word>\nMETA values=<word> <word> \n-2.5 \n-1.5 <word> \n"],
        "sets": ["<set>", "<set><sets>"],
        "set": ["<number> \n", "<number> <word> \n", "<number> <word> <word> \n"],
    },
    "csv": {
        "start": ["<header>\n<rows>", "<rows>"],
        "header": ["a,b", "a,b,c", "<word>,<word>", ",a,b", "a;b", '"a,b",c'],
        "rows": ["<row>\n", "<row>\n<rows>", "<row>\n<row>\n<rows>"],
        "row": ["<cell>,<cell>", "<cell>,<cell>", "<cell>,<cell>,<cell>", "<cell>;<cell>"],
        "cell": ["0", "1", "<word>", "<number>", "", "NA", '"<word>,<word>"', '" "', "3,5", "True", "?"],
    },
    "arcs": {
        "start": ["from,to\n<rows>", "<rows>"],
        "rows": ["<row>\n", "<row>\n<rows>"],
        "row": ["<word>,<word>", "<word>,<word>", "<word> -> <word>", '["<word>","<word>"]', "<word>", "<name>,<name>"],
    },
    "adjacency": {
        "start": [",a,b\na,0,<bit>\nb,<bit>,0\n", "a,b\n0,<bit>\n<bit>,0\n", ",a,b,c\n<rows>"],
        "rows": ["<row>", "<row><rows>"],
        "row": ["a,<bit>,<bit>,<bit>\n", "b,<bit>,<bit>,<bit>\n", "c,<bit>,<bit>,<bit>\n"],
        "bit": ["0", "0", "1", "<number>"],
    },
    "tiers": {
        "start": ["<tier>\n", "<tier>\n<tier>\n", "<tier>\n<start>"],
        "tier": ["<word>", "<word>,<word>", "<word> <word>", "<name>,<name>,<name>", '["<word>"]'],
    },
}  # fmt: skip


def sentence(rng: Random, format_name: str) -> bytes:
    """A random text of a format's grammar."""
    rules = _COMMON | GRAMMARS[format_name]

    def expand(text: str, depth: int) -> str:
        def choose(match: re.Match) -> str:
            options = rules.get(match.group(1))
            if options is None:
                return match.group()
            option = options[0] if depth > DEEPEST else rng.choice(options)
            return expand(option, depth + 1)

        return _SYMBOL.sub(choose, text)

    return expand(rng.choice(rules["start"]), 0).encode()
