"""The style sheet of HTML reports: light and dark by the reader's wish, readable in print and without colour."""

from __future__ import annotations

import base64
import hashlib
from typing import Final

STYLE: Final = """
:root{color-scheme:light dark;--page:#fff;--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--card:#f6f8fa;--high:#b3261e;
--medium:#8a5a00;--low:#0b5cad;--info:#57606a;--good:#1a6b2f;--mark:#e8eef7;--dot:#24478f}
@media (prefers-color-scheme:dark){:root{--page:#0f1318;--ink:#e6eaef;--soft:#a4afbb;--rule:#353d47;--card:#181e25;
--high:#ff8a80;--medium:#f0b95a;--low:#7db8ff;--info:#a4afbb;--good:#7fd394;--mark:#1f2b3d;--dot:#8db4ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:76rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;margin:3.5rem 0 .25rem}h1:first-child{margin-top:0}
h2{font-size:1.25rem;margin:2.5rem 0 .75rem;padding-top:.5rem;
border-top:1px solid var(--rule)}h3{font-size:1rem;margin:1.25rem 0 .25rem}
p{margin:.25rem 0 .75rem;max-width:70ch}.soft{color:var(--soft)}
code,pre,.path{font-family:ui-monospace,monospace;font-size:.875em;overflow-wrap:anywhere}
pre{background:var(--card);border:1px solid var(--rule);border-radius:4px;padding:.5rem .75rem;overflow-x:auto;
margin:.5rem 0;overflow-wrap:normal}
pre.said{white-space:pre-wrap;overflow-wrap:anywhere}pre.said span{display:block;padding-left:4ch;text-indent:-4ch}
.count{font-size:1.1rem;font-weight:600}
.tiles{display:flex;flex-wrap:wrap;gap:.5rem;margin:1rem 0;padding:0;list-style:none}
.tiles li{background:var(--card);border:1px solid var(--rule);border-radius:6px;padding:.4rem .8rem;min-width:6.5rem}
.tiles b{display:block;font-size:1.35rem;line-height:1.2}
.high{color:var(--high)}.medium{color:var(--medium)}.low{color:var(--low)}.info{color:var(--info)}
.good{color:var(--good)}
.scroll{overflow-x:auto;border:1px solid var(--rule);border-radius:6px}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid var(--rule)}
thead th{background:var(--card)}tbody tr:last-child>*{border-bottom:0}
.matrix{width:auto}.matrix th,.matrix td{border-right:1px solid var(--rule)}
.matrix thead th{vertical-align:bottom;font-weight:500;font-size:.8rem}
.matrix .turned{writing-mode:vertical-rl;transform:rotate(180deg);white-space:nowrap;padding:.2rem 0}
.matrix td{text-align:center;font-variant-numeric:tabular-nums}.matrix .on{background:var(--mark);font-weight:600}
.matrix tbody th{font-weight:500;min-width:9rem}
.rows{min-width:36rem}.line{table-layout:fixed;min-width:44rem}
.line th:first-child{width:9rem}.line th,.line td{border-right:1px solid var(--rule)}
.line thead th{font-size:.8rem}.line tbody th{font-weight:500;overflow-wrap:anywhere}
.chip{background:var(--mark);border-radius:4px;padding:.15rem .4rem;margin:0 0 .3rem;font-size:.8rem;
overflow-wrap:anywhere}.chip small{display:block;color:var(--soft)}
article{border-left:4px solid var(--rule);padding:.1rem 0 .1rem .9rem;margin:1rem 0;break-inside:avoid}
article.high{border-color:var(--high)}article.medium{border-color:var(--medium)}article.low{border-color:var(--low)}
article>*{color:var(--ink)}article .tag{font-weight:700}
article.high .tag{color:var(--high)}article.medium .tag{color:var(--medium)}article.low .tag{color:var(--low)}
figure{margin:1rem 0;break-inside:avoid}figcaption{color:var(--soft);font-size:.875rem}
svg{display:block;width:auto;max-width:none}svg text{fill:var(--ink);font:13px ui-monospace,monospace}
svg .head{font:600 13px system-ui,sans-serif;fill:var(--soft)}
svg rect{fill:var(--mark);stroke:var(--rule)}svg .edge{fill:none;stroke:var(--dot);stroke-width:1.5;opacity:.65}
details{margin:.25rem 0}summary{cursor:pointer;color:var(--soft);font-size:.875rem}
.added{color:var(--high)}.gone{color:var(--good)}
.scroll:focus-visible{outline:3px solid var(--low)}
@media screen and (max-width:40rem){.line{min-width:0}.line thead{display:none}.line td:empty{display:none}
.line,.line tbody,.line tr,.line th,.line td{display:block}.line th:first-child{width:auto}
.line th,.line td{border:0}.line tr+tr{border-top:1px solid var(--rule)}}
@media print{:root{--page:#fff;--ink:#000;--soft:#333;--rule:#999;--card:#fff;--mark:#eee;--high:#8c0000;
--medium:#5c3c00;--low:#003c7d;--dot:#000}body{font-size:10pt}main{max-width:none;padding:0}h2{break-after:avoid}
tr,li{break-inside:avoid}.scroll{overflow:visible;border:0}.line,.rows{min-width:0}pre{white-space:pre-wrap}
svg{max-width:100%;height:auto}}
"""
"""Colours are variables, and each pair of ink and page has a contrast of at least 4.5 to 1."""


def policy() -> str:
    """Return the page's content security policy: nothing loads, nothing runs, one style sheet by its hash."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
