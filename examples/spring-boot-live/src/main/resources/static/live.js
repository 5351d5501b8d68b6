'use strict';
// What people or messages wrote reaches the page as text only, never as HTML.
const byId = id => document.getElementById(id);
const columns = ['topic', 'sent', 'delivered', 'handled', 'handledOrders', 'duplicates', 'deferred', 'failed'];

function answer(text) {
  byId('answer').textContent = text;
}

async function call(path, body) {
  try {
    const options = body === undefined ? {} :
        {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)};
    const response = await fetch(path, options);
    const text = await response.text();
    const said = text ? JSON.parse(text) : {};
    answer(response.ok ? (text || 'done') : 'refused: ' + (said.problem || response.status));
    return response.ok ? said : null;
  } catch (e) {
    answer('no answer from the shop: ' + e);
    return null;
  }
}

function show(state) {
  byId('consumer').textContent = state.consumer.state
      + (state.consumer.pid ? ' (process ' + state.consumer.pid + ', start ' + state.consumer.starts + ')' : '');
  byId('kill').disabled = state.consumer.state === 'dead';
  byId('start').disabled = state.consumer.state !== 'dead';
  for (const topic of state.topics) {
    let row = byId('topic-' + topic.topic);
    if (!row) {
      row = byId('topics').insertRow();
      row.id = 'topic-' + topic.topic;
      columns.forEach(name => row.insertCell().className = name);
      const replay = document.createElement('button');
      replay.textContent = 'Replay';
      replay.className = 'replay';
      replay.onclick = () => call('replay', {topic: topic.topic});
      row.insertCell().append(replay);
    }
    columns.forEach((name, i) => row.cells[i].textContent = topic[name]);
    row.querySelector('.replay').disabled = state.consumer.state !== 'running';
  }
}

function tell(outcome) {
  const line = document.createElement('li');
  line.className = outcome.what;
  line.textContent = new Date().toLocaleTimeString() + '  ' + outcome.topic + '  ' + outcome.what + '  ' + outcome.id;
  const log = byId('log');
  log.prepend(line);
  while (log.children.length > 200) {
    log.lastChild.remove();
  }
}

function lookUp(topic) {
  call('lookup?' + new URLSearchParams({topic, id: byId('id').value}));
}

byId('place').onclick = async () => {
  const placed = await call('orders',
      {id: byId('id').value || null, customer: byId('customer').value, cents: Number(byId('cents').value)});
  if (placed) {
    byId('id').value = placed.id;
  }
};
byId('resend').onclick = () => call('orders/resend', {id: byId('id').value});
byId('look-orders').onclick = () => lookUp('orders');
byId('look-mails').onclick = () => lookUp('mails');
byId('kill').onclick = () => call('consumer/kill', {});
byId('start').onclick = () => call('consumer/start', {});

const events = new EventSource('events');
events.addEventListener('state', event => show(JSON.parse(event.data)));
events.addEventListener('outcome', event => tell(JSON.parse(event.data)));
events.onerror = () => byId('consumer').textContent = 'not known: the shop doesn\'t answer';
