// The protocol's own client against a served deputy: asks, meets the card, answers it, and prints what it holds then.
// `node dev/agui-client.mjs URL USER` ; the tests run it against the desk.
import { HttpAgent } from '@ag-ui/client';

const [url, user] = process.argv.slice(2);
const agent = new HttpAgent({ url, threadId: 'from-the-client', headers: { 'X-User': user } });
const kinds = [];
let interrupts = [];
const subscriber = {
  onEvent: ({ event }) => {
    kinds.push(event.type);
  },
  onRunFinishedEvent: ({ event }) => {
    interrupts = event.outcome?.type === 'interrupt' ? event.outcome.interrupts : [];
  },
};

agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'a task for Ana' });
await agent.runAgent({}, subscriber);
const asked = interrupts.map((one) => one.id);
const resume = interrupts.map((one) => ({
  interruptId: one.id,
  status: 'resolved',
  payload: { approve: true, digest: one.metadata.call.approval.digest },
}));
await agent.runAgent({ resume }, subscriber);

const elsewhere = new HttpAgent({ url, threadId: 'from-the-client', headers: { 'X-User': user } });
await elsewhere.runAgent({}, {});
const plain = (messages) =>
  messages.map(({ role, content, toolCalls }) => ({ role, content, calls: toolCalls?.length ?? 0 }));
console.log(JSON.stringify({ kinds, asked, messages: plain(agent.messages), elsewhere: plain(elsewhere.messages) }));
