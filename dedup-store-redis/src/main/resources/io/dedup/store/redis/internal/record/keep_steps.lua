-- KEYS: records. ARGV: for each key "<owner>," and the bytes to append.
-- Answers a letter per key: A applied, L lease lost.
-- The steps of a record that isn't done are behind its last field, between two semicolons. That the last byte is one keeps the
-- short way of complete.lua, which is for records that end with a comma, from being taken.
local call, find, sub = redis.call, string.find, string.sub
local found = call('MGET', unpack(KEYS))
local answers = {}
for i = 1, #KEYS do
  local key, value, mine, entry = KEYS[i], found[i], ARGV[2 * i - 1], ARGV[2 * i]
  answers[i] = 'L'
  if value and find(value, mine, 2, true) == 2 then
    if LIGHT_FIRST then -- if its first write needs no memory, a script may continue when memory is full
      -- Not DEL: while the slot migrates to another node, a deleted key can no longer be set here.
      call('PEXPIRE', key, math.max(call('PTTL', key), 1))
      LIGHT_FIRST = false
    end
    local has_steps = find(value, ';', #mine + 2, true)
    call('SET', key, (has_steps and sub(value, 1, -2) or value .. ';') .. entry .. ';', 'KEEPTTL')
    answers[i] = 'A'
  end
end
return table.concat(answers)
