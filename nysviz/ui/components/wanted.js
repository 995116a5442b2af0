
// Hands over what the page says at the stops of its slider, with the frames that have come, and asks for those that
// the slider does not have yet, once the page has stood still for a moment.
const STILL = 400;

export default function ({data, parentElement, setTriggerValue}) {
  const {token, words, frames, asked, count} = JSON.parse(new TextDecoder().decode(data)), hand = handHere();
  hand.sent.push({token, words, frames});
  const known = () => [...hand.frames.get(token)?.keys() ?? []];
  const ask = () => setTriggerValue('wanted', {token, has: known()});
  clearTimeout(parentElement.nysvizStill);
  parentElement.nysvizStill = setTimeout(() => { if (!asked || known().length < count) ask(); }, STILL);
  return () => clearTimeout(parentElement.nysvizStill);
}
