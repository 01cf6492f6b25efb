// What is drawn, from every seed's values: smoothed seed by seed, then the mean over seeds and its interval.
const {curves, figures, measures, quantiles, packed, constants, lives} = JSON.parse(document.getElementById("data").textContent);
let store = null;  // all values, one after the other

async function unzipped(text) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function unpack() { store = new Float32Array(await unzipped(packed)); }

function series(key, measure) {  // of every seed; none where no run has the measure
  const curve = curves[key], start = curve.starts[measure];
  if (start === undefined) return [];
  return curve.seeds.map((_, seed) => store.subarray(start + seed * curve.tasks, start + (seed + 1) * curve.tasks));
}

function smooth(values, width) {  // a moving mean, centred, over the values there are
  if (width <= 1) return values;
  const found = new Float32Array(values.length).fill(NaN), left = width >> 1;
  for (let at = 0; at < values.length; at++) {
    if (!Number.isFinite(values[at])) continue;
    let sum = 0, n = 0;
    for (let near = Math.max(0, at - left); near < Math.min(values.length, at - left + width); near++)
      if (Number.isFinite(values[near])) { sum += values[near]; n++; }
    found[at] = sum / n;
  }
  return found;
}

function band(rows) {  // (seeds, tasks) → per task the mean, half the interval, the number of seeds
  const tasks = rows.length ? rows[0].length : 0, mean = [], half = [], n = [];
  for (let task = 0; task < tasks; task++) {
    const there = rows.map(row => row[task]).filter(Number.isFinite), count = there.length;
    const middle = there.reduce((a, b) => a + b, 0) / count;
    const spread = Math.sqrt(there.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (count - 1));
    mean.push(count ? middle : null);
    half.push(count >= constants.enough ? quantiles[count] * spread / Math.sqrt(count) : null);
    n.push(count);
  }
  return {mean, half, n};
}

function line(key, measure, width) {  // in the unit that is shown
  const {scale, least, most} = measures[measure], rows = series(key, measure);
  const {mean, half, n} = band(rows.map(row => smooth(row, width)));
  const within = value => Math.min(Math.max(value, least ?? -Infinity), most ?? Infinity) * scale;
  const side = sign => mean.map((value, task) => half[task] === null ? null : within(value + sign * half[task]));
  const shown = values => values.map(value => value === null ? null : value * scale);
  return {mean: shown(mean), half: shown(half), low: side(-1), high: side(1), n, raw: width > 1 ? shown(band(rows).mean) : null};
}

function quantile(sorted, share) {
  const at = share * (sorted.length - 1), low = Math.floor(at);
  return sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
}

function limits(lines) {  // of an axis: a few values that stray do not stretch it
  const every = lines.flatMap(one => [...one.mean, ...one.low, ...one.high]).filter(value => value !== null).sort((a, b) => a - b);
  if (!every.length) return [0, 1];
  let low = quantile(every, constants.stray), high = quantile(every, 1 - constants.stray);
  const same = quantile(every, constants.middle) === quantile(every, 1 - constants.middle);
  if (every.at(-1) - every[0] <= constants.stretch * (high - low) || same) [low, high] = [every[0], every.at(-1)];
  if (low === 0 && high === 0) return [-constants.room, 1];  // at the foot of an axis to 1, in the unit that is shown
  const room = constants.room * (high - low) || 0.5 * Math.abs(high);
  return [low - room, high + room];
}
