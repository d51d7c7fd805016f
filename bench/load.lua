-- Driven by wrk. The file named by the first argument says what to send; load.py writes it.
--   constant: the same request again and again
--   numbered: requests with a message group and a number of their own
--   pair:     a receive, then a delete of what it brought
-- wrk does not tell which connection asks for a request, so deletes are sent by whichever comes first.

local plan
local pending, first, last = {}, 1, 0
local threads = {}
local codes = { ["+"] = "%2B", ["/"] = "%2F", ["="] = "%3D" }
-- Globals, because `done` reads them from the thread.
receives, deletes, answered, messages, bad = 0, 0, 0, 0, 0
local number = 0

local function constant() return plan.request end

local function numbered()
    number = number + 1
    local group = string.format("%04d", number % plan.groups)
    return plan.head .. group .. plan.middle .. string.format("%09d", plan.base + number) .. plan.tail
end

local function pair()
    if first <= last then
        local request = pending[first]
        pending[first] = nil
        first = first + 1
        deletes = deletes + 1
        return request
    end
    receives = receives + 1
    return plan.receive
end

local function handles_of(body)
    local found, at = {}, 1
    while true do
        local _, mark = string.find(body, plan.mark, at, true)
        if not mark then return found end
        local open = string.find(body, plan.open, mark + 1, true)
        local close = string.find(body, plan.close, open + 1, true)
        local handle = string.sub(body, open + 1, close - 1)
        found[#found + 1] = plan.quoted and string.gsub(handle, "[+/=]", codes) or handle
        at = close
    end
end

local function look(status, headers, body)
    if status ~= 200 then
        bad = bad + 1
        return
    end
    local found = handles_of(body)
    if #found == 0 then
        if string.find(body, plan.failure, 1, true) then bad = bad + 1 end
        return
    end
    answered = answered + 1
    messages = messages + #found
    local parts = {}
    for i, handle in ipairs(found) do parts[i] = plan.prefixes[i] .. handle end
    local text = plan.head .. table.concat(parts, plan.between) .. plan.tail
    last = last + 1
    pending[last] = plan.delete .. #text .. "\r\n\r\n" .. text
end

function setup(thread) threads[#threads + 1] = thread end

function init(args)
    plan = dofile(args[1])
    request = ({ constant = constant, numbered = numbered, pair = pair })[plan.kind]
    if plan.kind == "pair" then response = look end
end

function done(summary, latency, requests)
    local thread, errors = threads[1], summary.errors
    io.write(string.format(
        '\nRESULT {"requests": %d, "duration_us": %d, "p50_us": %d, "p99_us": %d, "bad": %d, "receives": %d, ' ..
        '"deletes": %d, "answered": %d, "messages": %d}\n',
        summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
        errors.status + errors.connect + errors.read + errors.write + errors.timeout + thread:get("bad"),
        thread:get("receives"), thread:get("deletes"), thread:get("answered"), thread:get("messages")))
end
