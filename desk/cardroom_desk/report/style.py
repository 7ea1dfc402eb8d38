"""How the report looks on a screen, a phone and a printer: the style sheet that the page carries."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root{--ink:#1c2430;--soft:#5b6675;--line:#d9dee6;--paper:#fff;--tint:#f5f7fa;--good:#1a7f4b;--bad:#b3261e;--open:#8a5a00;
  --bar:#3c6e9f}*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:78rem;margin:0 auto;padding:1.25rem}h1{font-size:1.35rem;margin:0;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.2rem 0 .5rem;padding-bottom:.25rem;border-bottom:2px solid var(--line)}
h3{font-size:1rem;margin:1.2rem 0 .4rem}p{margin:.3rem 0}
code{font:.88em/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
header{display:flex;gap:1rem;align-items:center;padding:1rem;border-radius:.6rem;background:var(--tint);
  border-left:.5rem solid}header.pass{border-color:var(--good)}header.fail{border-color:var(--bad)}
  header.incomplete{border-color:var(--open)}
.mark{font-size:1.5rem;font-weight:800;margin:0}.pass .mark{color:var(--good)}.fail .mark{color:var(--bad)}
  .incomplete .mark{color:var(--open)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:.6rem;margin:1rem 0}
.facts div{background:var(--tint);border-radius:.5rem;padding:.5rem .75rem}
.facts dt{color:var(--soft);font-size:.82rem}
.facts dd{margin:0;font-size:1.25rem;font-weight:650;font-variant-numeric:tabular-nums}
article{border:1px solid var(--line);border-left:.3rem solid var(--bad);border-radius:.4rem;
  padding:.6rem .9rem;margin:.6rem 0;break-inside:avoid}article h3{margin:0}
.code{font-family:ui-monospace,monospace;color:var(--bad)}.where{color:var(--soft)}
.where b{color:var(--ink);overflow-wrap:anywhere}
article dl{display:grid;grid-template-columns:5.5rem 1fr;gap:.1rem .6rem;margin:.4rem 0 0}
article dt{color:var(--soft)}article dd{margin:0;min-width:0}
.wide{overflow-x:auto;border:1px solid var(--line);border-radius:.4rem}
table{border-collapse:collapse;width:100%;font-size:.82rem}
th,td{padding:.3rem .5rem;text-align:left;white-space:nowrap}
th{background:var(--tint);color:var(--soft);font-weight:600}tbody tr+tr td{border-top:1px solid var(--line)}
.n{text-align:right;font-variant-numeric:tabular-nums}details{margin:.6rem 0}
summary{cursor:pointer;font-weight:600;margin-bottom:.4rem}
figure{margin:1rem 0;break-inside:avoid;min-width:0}
figcaption{display:flex;flex-wrap:wrap;gap:0 .8rem;justify-content:space-between;margin-bottom:.3rem}
figcaption span{color:var(--soft);font-size:.88rem}.map{display:flex;gap:.4rem}
.suits{display:flex;flex-direction:column;width:1.4rem;text-align:center}
.suits span{flex:13;display:flex;align-items:center;justify-content:center}
.suits i{flex:0 0 auto;font-size:.7rem;line-height:.7}
.heat{flex:1;min-width:0;height:15rem;border:1px solid var(--line);shape-rendering:crispEdges}
.rule{stroke:#8893a3;stroke-width:1;vector-effect:non-scaling-stroke;fill:none}
.c0{fill:#2166ac;background:#2166ac}.c1{fill:#67a9cf;background:#67a9cf}.c2{fill:#d1e5f0;background:#d1e5f0}
.c3{fill:#f7f7f7;background:#f7f7f7}.c4{fill:#fddbc7;background:#fddbc7}.c5{fill:#ef8a62;background:#ef8a62}
.c6{fill:#b2182b;background:#b2182b}
.legend{display:flex;align-items:center;gap:.15rem;font-size:.85rem;color:var(--soft)}
.legend i{width:1.3rem;height:.8rem;border:1px solid var(--line)}.legend span{margin:0 .3rem}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:0 1.5rem}
.bars{display:flex;gap:2px;height:9.5rem;padding:1.1rem 0 1.3rem}
.bars>div{flex:1;position:relative;min-width:0}
.bar{position:absolute;bottom:0;left:0;right:0;background:var(--bar);opacity:.8}
.line{position:absolute;left:-1px;right:-1px;border-top:2px solid var(--ink)}
.v,.k{position:absolute;left:50%;transform:translateX(-50%);font-size:.68rem;white-space:nowrap}
.v{top:-1.1rem;color:var(--soft)}.k{bottom:-1.25rem}.result{margin:.7rem 0;break-inside:avoid}
.result>span{float:right;color:var(--soft)}.result b{overflow-wrap:anywhere;font-weight:600}
.share{clear:both;display:flex;height:1rem;border-radius:.25rem;overflow:hidden;margin:.2rem 0}
.thin{height:.3rem;opacity:.75}.due{font-style:italic}
.result p{font-size:.85rem;color:var(--soft)}.result p span{white-space:nowrap}
.dot{display:inline-block;width:.65rem;height:.65rem;border-radius:50%;margin-right:.25rem}
.r-win{background:#2e8b57}.r-push{background:#b9c2ce}.r-lose{background:#c8553d}
.r-no_action{background:#e6c229}.r-returned{background:#8d6cab}
@media(max-width:40rem){main{padding:.75rem}body{font-size:14px}.heat{height:12rem}.bars .v{display:none}
.bars{padding-top:.2rem}article dl{grid-template-columns:1fr}article dt{margin-top:.2rem}
.facts{grid-template-columns:repeat(2,1fr)}th,td{padding:.25rem .45rem}}
@media print{main{max-width:none;padding:0}body{font-size:10pt}.wide{overflow:visible;border:0}
table{font-size:7.5pt}th,td{padding:.15rem .3rem}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
h2{break-after:avoid}}
"""
