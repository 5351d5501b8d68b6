-- KEYS: records. ARGV: lease + attemptRetention in ms; then for each key "<owner>,".
-- Answers a letter per key: A applied, L lease lost.
local found = redis.call('MGET', unpack(KEYS))
local answers = {}
for i = 1, #KEYS do
  local value = found[i]
  answers[i] = 'L'
  if value and string.find(value, ARGV[i + 1], 2, true) == 2 then
    redis.call('PEXPIRE', KEYS[i], ARGV[1])
    answers[i] = 'A'
  end
end
return table.concat(answers)
