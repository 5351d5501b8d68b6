-- Put between bucket_read.lua and a script that completes records.
-- ARGV[1]: the window's unit and how many of it ('' if it has no such form); removed here.
local CODE = table.remove(ARGV, 1)
local FEW = 256 -- entries that servers by default store in the small form
local overgrown = '' -- H once the server stores a bucket in its larger form
local entry, entry_attempt, entry_ms

-- Removes entries whose window has ended: of a bucket in the small form all, else of some hundreds of entries. Not worth
-- an error.
local function prune(bucket, field, ms)
  local a, b, c = string.byte(field, 1, 3)
  local page = try_redis('HSCAN', bucket, string.format('%.0f', a * 65536 + b * 256 + c), 'COUNT', 1000)[2] or {}
  local over = {}
  for i = 1, #page, 2 do
    local _, ends = parsed(page[i + 1])
    if ends and EPOCH + ends <= ms then
      over[#over + 1] = page[i]
    end
    if #over == 1000 or #over > 0 and i + 2 > #page then
      try_redis('HDEL', bucket, unpack(over))
      over = {}
    end
  end
end

-- Whether the server still stores a bucket in its larger form. It doesn't go back by itself once a bucket has few
-- entries again; read from its dump, it does. Not in two commands: a deleted key cannot be written while its slot moves.
local function overgrows(bucket)
  local entries, left = try_redis('HLEN', bucket), call_redis('PTTL', bucket)
  if type(entries) ~= 'number' or entries > FEW or left == 0 then -- RESTORE takes 0 for no end
    return true
  end
  local dump = try_redis('DUMP', bucket)
  if type(dump) == 'string' then
    try_redis('RESTORE', bucket, string.format('%.0f', math.max(left, 0)), dump, 'REPLACE')
  end
  return try_redis('OBJECT', 'ENCODING', bucket) == 'hashtable'
end

-- Enters a record that is done; window in ms ('' for ever). False, and nothing has changed, if it must keep a key of its own:
-- also where the bucket cannot be written, or cannot be kept for as long as the record.
-- A bucket is kept at least as long as each of its entries, and a quarter of a window longer on average, so that its time to
-- live is written, and its entries looked through, four times a window. Not a quarter for each: buckets that were begun
-- together would all be due at the same time.
local function enter(i, ms, attempt, window)
  if CODE == '' or attempt + 0 > 9 then
    return false
  end
  if attempt ~= entry_attempt or ms ~= entry_ms then
    entry = string.format('%.0f%d', math.max(ms - EPOCH, 0), attempt) .. CODE
    entry_attempt, entry_ms = attempt, ms
  end
  local bucket, field = KEYS[count + i], field_of(i)
  local left = call_redis('PTTL', bucket) -- -2: there is no such bucket yet; -1: it is kept for an entry without an end
  if type(try_redis('HSET', bucket, field, entry)) ~= 'number' then
    return false
  end
  local chance = string.byte(field, FIELD) % 64
  if window == '' then
    if left >= 0 and type(try_redis('PERSIST', bucket)) ~= 'number' then
      call_redis('HDEL', bucket, field)
      return false
    end
  else
    local lasts = window + 0
    if left == -2 or left >= 0 and left < lasts then
      local spread = 128 + string.byte(field, FIELD - 1) -- of 1,024: an eighth of a window to three eighths
      call_redis('PEXPIRE', bucket, string.format('%.0f', lasts + math.ceil(lasts * spread / 1024)))
      if left ~= -2 then
        prune(bucket, field, ms)
      end
    elseif chance % 16 == 0 and (left < 0 or left > 2 * lasts) then -- others with a longer window keep the bucket
      prune(bucket, field, ms)
    end
  end
  if chance == 0 and try_redis('OBJECT', 'ENCODING', bucket) == 'hashtable' then
    prune(bucket, field, ms)
    overgrown = overgrows(bucket) and 'H' or overgrown
  end
  return true
end
