// Hands over what the page says at the stops of its slider, with the frames that have come. Once somebody is near the
// slider it asks for those that are lacking, when the page has stood still for a moment.
const STILL = 400;

export default function ({data, parentElement, setTriggerValue}) {
  const {token, words, frames, asked, count} = JSON.parse(new TextDecoder().decode(data)), hand = handHere();
  hand.sent.push({token, words, frames});
  const ask = () => {
    const has = [...hand.frames.get(token)?.keys() ?? []];
    if (hand.near && (!asked || has.length < count)) setTriggerValue('wanted', {token, has}); };
  clearTimeout(parentElement.nysvizStill);
  parentElement.nysvizStill = setTimeout(ask, STILL);
  hand.approach = ask;
  return () => {
    clearTimeout(parentElement.nysvizStill);
    if (hand.approach === ask) hand.approach = null; };
}
