'use strict';
// Text that people or messages wrote reaches the page as text only, never as HTML.
const byId = id => document.getElementById(id);
const PLAIN_GROUP = 'live-without-dedup';
const COLUMNS = ['sent', 'delivered', 'handled', 'handledOrders', 'duplicates', 'causes', 'deferred', 'failed'];
const FINAL = ['handled', 'duplicate', 'deferred', 'failed', 'cut'];
const STARTS = 'The consumer starts, which takes a few seconds.';
const COINS = 6;
const LINES = 200;

const sideOf = group => group === PLAIN_GROUP ? 'plain' : 'dedup';
const money = cents => (cents / 100).toLocaleString('en-US', {style: 'currency', currency: 'USD'});
const count = (n, noun) => n + ' ' + noun + (n === 1 ? '' : 's');

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

/** Screen readers read a status aloud when it changes, so it changes only when the text does. */
function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

function answer(text, refused) {
  byId('answer').className = refused ? 'refused' : '';
  setText(byId('answer'), text);
}

/** Returns the shop's answer, or throws an error that says why there is none. */
async function call(path, body) {
  const options = body === undefined ? {} :
      {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)};
  const response = await fetch(path, options).catch(() => {
    throw new Error('The shop doesn’t answer.');
  });
  const text = await response.text();
  const said = text ? JSON.parse(text) : {};
  if (!response.ok) {
    throw new Error('Refused: ' + (said.problem || response.status));
  }
  return said;
}

function onClick(id, action) {
  byId(id).onclick = async () => {
    try {
      answer(await action());
    } catch (e) {
      answer(e.message, true);
    }
  };
}

onClick('place', async () => {
  const placed = await call('orders',
      {id: byId('new-id').value || null, customer: byId('customer').value, cents: Number(byId('cents').value)});
  byId('new-id').value = '';
  byId('order').value = placed.id;
  byId('look-id').value = placed.id;
  return placed.id + ' placed: one message to orders, one to mails.';
});
onClick('resend', async () => {
  const id = byId('order').value;
  await call('orders/resend', {id});
  return id + ' sent again, with the same ID.';
});
for (const topic of ['orders', 'mails']) {
  onClick('replay-' + topic, async () => {
    await call('replay', {topic});
    return 'Reading ' + topic + ' from the first message again.';
  });
  byId('look-' + topic).onclick = () => lookUp(topic);
}
onClick('kill', async () => {
  await call('consumer/kill', {});
  return 'The consumer is dead. Place orders meanwhile, then start it again.';
});
onClick('start', async () => {
  await call('consumer/start', {});
  return STARTS;
});

async function lookUp(topic) {
  const id = byId('look-id').value;
  try {
    const record = await call('lookup?' + new URLSearchParams({topic, id}));
    setText(byId('record'), topic + ', ' + id + ': ' + record.state + ', attempt ' + record.attempt
        + (record.completedAt ? ', completed ' + clock(record.completedAt) : ''));
  } catch (e) {
    setText(byId('record'), e.message);
  }
}

function showConsumer(consumer) {
  if (consumer.state === 'running' && byId('answer').textContent === STARTS) {
    answer('The consumer is running again.');
  }
  byId('status').className = consumer.state;
  setText(byId('consumer'), consumer.state + (consumer.pid ? ', process ' + consumer.pid : ''));
  const dead = consumer.state === 'dead';
  const focused = document.activeElement;
  byId('kill').disabled = dead;
  byId('start').disabled = !dead;
  if (focused === byId('kill') && dead) {
    byId('start').focus(); // a disabled button would lose the focus
  } else if (focused === byId('start') && !dead) {
    byId('kill').focus();
  }
}

/** Why there were duplicates: "1 resent, 2 replayed". */
const causes = listener => Object.entries(listener.causes).map(([cause, n]) => n + ' ' + cause).join(', ');

function verdict(side, listener, placed, consumer) {
  if (placed === 0) {
    return ['', 'No order yet. Press “Place an order” to start.'];
  }
  if (listener.handled > listener.handledOrders) {
    const extra = listener.handled - listener.handledOrders;
    return ['bad', count(extra, 'double charge') + ': customers paid ' + money(listener.excessCents) + ' too much.'];
  }
  if (listener.handled === 0) {
    return ['', 'No charge yet' + (consumer === 'running' ? '.' : ': the consumer is ' + consumer + '.')];
  }
  const orders = count(listener.handledOrders, 'order') + ' charged once'
      + (listener.handledOrders < placed ? ', ' + (placed - listener.handledOrders) + ' not yet handled' : '');
  return ['good', orders + (side === 'dedup' && listener.duplicates
      ? '. ' + listener.duplicates + ' skipped: ' + causes(listener) + '.' : side === 'dedup' ? '.' : ', so far.')];
}

function showSide(listener, state) {
  const side = sideOf(listener.group);
  const panel = byId(side);
  const [mood, text] = verdict(side, listener, state.placed, state.consumer.state);
  panel.className = 'side ' + mood;
  setText(panel.querySelector('.verdict'), text);
  for (const name of ['delivered', 'handled', 'duplicates']) {
    panel.querySelector('dd.' + name).textContent = listener[name];
  }
  panel.querySelector('.orders').replaceChildren(...state.orders.map(order =>
    orderLine(order, side === 'plain' ? order.chargedWithoutDedup : order.charged)));
}

/** An order with a coin for each of its charges. */
function orderLine(order, charges) {
  const line = element('li', '', '');
  const coins = element('span', 'coins', '');
  coins.setAttribute('aria-hidden', 'true');
  for (let i = 0; i < Math.min(charges, COINS); i++) {
    coins.append(element('span', i ? 'coin twice' : 'coin', money(order.cents)));
  }
  if (charges > COINS) {
    coins.append(element('span', 'coin twice', '+' + (charges - COINS)));
  }
  const id = element('span', 'id', order.id);
  id.title = order.id;
  line.append(id, coins, element('span', 'sum', charges === 0 ? 'waiting' : 'charged ' + charges + '×'));
  return line;
}

function showNumbers(listener) {
  const id = 'row-' + listener.topic + '-' + sideOf(listener.group);
  let row = byId(id);
  if (!row) {
    row = byId('listeners').insertRow();
    row.id = id;
    const name = element('th', '', listener.topic + (listener.group === PLAIN_GROUP ? ', without dedup' : ', with dedup'));
    name.scope = 'row';
    row.append(name, ...COLUMNS.map(column => element('td', column, '')));
  }
  COLUMNS.forEach((column, i) =>
      row.cells[i + 1].textContent = column === 'causes' ? causes(listener) : listener[column]);
}

const done = {place: false, resend: false, replay: false, kill: false};

function showSteps() {
  let next = true;
  for (const name of Object.keys(done)) {
    const step = byId('step-' + name);
    step.className = done[name] ? 'done' : '';
    if (next && !done[name]) {
      step.setAttribute('aria-current', 'step');
      next = false;
    } else {
      step.removeAttribute('aria-current');
    }
  }
}

function show(state) {
  showConsumer(state.consumer);
  for (const listener of state.listeners) {
    showNumbers(listener);
    if (listener.topic === 'orders') {
      showSide(listener, state);
    }
  }
  const running = state.consumer.state === 'running';
  byId('resend').disabled = state.placed === 0;
  document.querySelectorAll('.replay').forEach(button => button.disabled = !running || state.placed === 0);
  if (state.orders.length && !byId('order').value) {
    byId('order').value = byId('look-id').value = state.orders[0].id;
  }
  done.place = state.placed > 0;
  done.resend = done.resend || state.listeners.some(listener => listener.sent > state.placed);
  done.kill = done.kill || state.consumer.starts > 1 || state.consumer.state === 'dead';
  showSteps();
}

const clock = time => new Date(time).toLocaleTimeString('en-GB');
/** The deliveries that aren't finished: topic, group and ID to a line of the time line. */
const open = new Map();

function stepText(event) {
  switch (event.what) {
    case 'handled':
      return event.topic === 'mails' ? (event.times > 1 ? 'mailed again' : 'mailed')
          : event.times > 1 ? 'charged again, ' + event.times + ' times now' : 'charged';
    case 'duplicate': return 'duplicate (' + event.cause + ')';
    case 'deferred': return 'deferred: another run has the lease';
    default: return event.what;
  }
}

/** The latest part of the time line, between two lines across: a list for each side. */
function lane(side) {
  let part = byId('log').firstElementChild;
  if (!part || part.className !== 'part') {
    part = element('li', 'part', '');
    for (const [name, label] of [['plain', 'Without dedup'], ['dedup', 'With dedup']]) {
      const list = element('ol', name, '');
      list.setAttribute('aria-label', label);
      part.append(list);
    }
    byId('log').prepend(part);
  }
  return part.querySelector('.' + side);
}

function removeOldest() {
  const oldest = byId('log').lastElementChild;
  const lists = [...oldest.querySelectorAll('ol')].sort((a, b) => b.children.length - a.children.length);
  if (lists.length && lists[0].children.length) {
    lists[0].lastElementChild.remove();
  } else {
    oldest.remove();
  }
}

function showDelivery(event) {
  const key = JSON.stringify([event.topic, event.group, event.id]);
  let line = open.get(key);
  if (!line || !line.isConnected) {
    const side = sideOf(event.group);
    line = element('li', 'entry', '');
    line.append(element('time', '', clock(event.at)), element('span', 'id', event.id), element('span', 'topic', event.topic + ':'));
    lane(side).prepend(line);
    open.set(key, line);
  }
  const final = FINAL.includes(event.what);
  line.append(element('span', 'step ' + event.what + (event.times > 1 ? ' twice' : ''), stepText(event)));
  if (final) {
    open.delete(key);
  }
}

const SHOP = {
  sent: event => event.id + ': the shop sends it to orders and mails',
  replayed: event => 'replay of ' + event.topic + ' from the first message',
  started: () => 'consumer started',
  ready: () => 'consumer has its partitions',
  killed: () => 'consumer killed',
};

function happened(event) {
  if (event.group) {
    showDelivery(event);
  } else {
    if (event.what === 'killed') {
      open.forEach(line => line.append(element('span', 'step cut', 'cut off by the kill')));
      open.clear();
    }
    const line = element('li', 'both ' + event.what, '');
    line.append(element('time', '', clock(event.at)), element('span', '', SHOP[event.what](event)));
    byId('log').prepend(line);
    done.replay = done.replay || event.what === 'replayed';
    showSteps();
  }
  while (byId('log').querySelectorAll('.entry, .both').length > LINES) {
    removeOldest();
  }
  byId('empty').hidden = byId('log').querySelector('.entry, .sent') !== null;
}

const events = new EventSource('events');
events.onopen = () => {
  open.clear();
  byId('log').replaceChildren(); // the shop sends the last events again
};
events.addEventListener('state', event => show(JSON.parse(event.data)));
events.addEventListener('outcome', event => happened(JSON.parse(event.data)));
events.onerror = () => {
  byId('status').className = '';
  setText(byId('consumer'), 'not known, the shop doesn’t answer');
};
