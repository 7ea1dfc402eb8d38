// Sets hands with pokersolver: reads a JSON list of hands, then for every further line sets them all once and writes
// the processor time of it, in microseconds a hand.
const { PaiGowPokerHelper } = require("pokersolver");
let hands = null;

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  if (hands === null) {
    hands = JSON.parse(line).map((hand) => hand.map((card) => (card === "Jk" ? "Or" : card)));
    return;
  }
  const start = process.cpuUsage();
  for (const hand of hands) PaiGowPokerHelper.solve(hand);
  const used = process.cpuUsage(start);
  console.log((used.user + used.system) / hands.length);
});
