// SPDX-License-Identifier: GPL-2.0-or-later
// Reads files with the importer of Speedscope's npm package, without its window.
//   node speedscope.mjs FOLDER-OF-THE-PACKAGE FILE...
// Prints for each file a line of JSON: {file, warnings, profiles: [{name, unit, total, depth, spans, selves, outermost}]}. `total` is the
// weight of the whole profile, `depth` that of the call tree in order of time, `spans` the sum by name of each bar, `selves` the same without
// those inside, `outermost` of the outermost ones.
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";

const [folder, ...files] = process.argv.slice(2);
const release = path.join(folder, "dist/release");
const script = fs.readdirSync(release).find(name => /^speedscope-.*\.js$/.test(name));
const code = fs.readFileSync(path.join(release, script), "utf8");
const importer = /async function ([\w$]+)\(\w+,\w+\)\{return\(await [\w$]+\)\.importProfileGroupFromText/.exec(code)?.[1];
if (!importer)
  throw new Error("this version of Speedscope has another importer");

// The window is not needed: everything that the page would ask of a browser is this.
const nothing = new Proxy(function () {}, {
  get: (_, key) => key === Symbol.toPrimitive ? () => "" : key === Symbol.iterator ? function* () {} : nothing,
  apply: () => nothing, construct: () => nothing, set: () => true,
});
const warnings = [];
const warn = (...words) => warnings.push(words.join(" "));
const realm = vm.createContext({
  console: { log() {}, warn, error: warn, assert(good, ...words) { if (!good) warn(...words); } },
  document: nothing, navigator: nothing, location: nothing, TextDecoder, TextEncoder, setTimeout, URL, performance,
});
realm.window = realm.self = realm.global = realm;
realm.addEventListener = () => {};
try {
  vm.runInContext(code.replace("(()=>{", `(()=>{globalThis.read=(name,text)=>${importer}(name,text);`), realm);
} catch {
  // drawing has failed, after the importer is there
}
if (!realm.read)
  throw new Error("this version of Speedscope begins in another way");
warnings.length = 0;

function measured(profile) {
  let depth = 0, most = 0;
  const [spans, selves, outermost] = [1, 2, 3].map(() => Object.create(null)), open = []; // a name may be __proto__
  profile.forEachCall((node, at) => {
    open.push(at);
    most = Math.max(most, ++depth);
  }, (node, at) => {
    const name = node.frame.name, takes = at - open.pop();
    spans[name] = (spans[name] ?? 0) + takes;
    if (!--depth)
      outermost[name] = (outermost[name] ?? 0) + takes;
  });
  profile.forEachFrame(frame => { selves[frame.name] = (selves[frame.name] ?? 0) + frame.getSelfWeight(); });
  return { name: profile.getName(), unit: profile.getWeightUnit(), total: profile.getTotalNonIdleWeight(), depth: most, spans, selves, outermost };
}

for (const file of files) {
  const group = await realm.read(path.basename(file), fs.readFileSync(file, "utf8"));
  console.log(JSON.stringify({ file, warnings, profiles: group ? group.profiles.map(measured) : [] }));
  warnings.length = 0;
}
