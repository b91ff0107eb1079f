"""What crosses between threads: memory by reference, counted across states, and what they share by number."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import LuaError, Runtime

from ..conftest import Run as T7
from .conftest import Run


def test_tensors_and_storages_share_their_memory(run: Run) -> None:
    out = run("""
    local small, large, view = torch.zeros(3), torch.zeros(100, 100), nil
    view = large:t():narrow(1, 2, 3)
    local s, floats = small:storage(), torch.FloatTensor(2, 2, 2, 2, 2, 2):zero()
    pool:addjob(function()
       small:fill(1) view:fill(2) s[2] = 5 floats:fill(3)
       local mine = torch.range(1, 1000)
       return view, mine, mine:storage(), small
    end, function(v, mine, storage, again)
       print(v:storage() == large:storage(), v:size(1), v:stride(1), v:isContiguous())
       storage[1] = 7
       print(mine[1], mine:sum(), again:storage() == s)
    end)
    pool:synchronize()
    print(small[1], small[2], small[3], large:sum(), floats:sum(), torch.type(floats), floats:dim())
    """)
    assert out == (
        "true\t3\t1\tfalse\n7\t500506\ttrue\n1\t5\t1\t600\t192\ttorch.FloatTensor\t6\n"
    )


def test_messages_keep_nothing(run: Run) -> None:
    """Their streams serve one message after another."""
    out = run("""
    local weak = setmetatable({}, { __mode = 'v' })
    local function send()
       local x, t, key = torch.Tensor(30), { 1 }, {}
       weak[1], weak[2], weak[3] = x, t, key
       local function f() return x, t end
       weak[4] = f
       pool:addjob(f, function(y, u) weak[5], weak[6] = y, u end)
       pool:addjob(function(values) return values end, function(v) weak[7] = v end, { [key] = { deep = t } })
       pool:synchronize()
    end
    send()
    for _ = 1, 4 do collectgarbage() end
    for i = 1, 7 do io.write(tostring(weak[i]), ' ') end
    """)
    assert out == "nil " * 7


def test_a_method_that_keeps_the_file_of_a_message(runtime: Runtime) -> None:
    with runtime.captured() as out:
        runtime.execute("""
        local function define()
           local Keeper = torch.class 'Keeper'
           function Keeper:write(file) self.file = file file:writeObject(self.value) end
           function Keeper:read(file) self.value, self.file = file:readObject(), file end
        end
        define()
        local alone = threads.Threads(1, define)
        local keeper = Keeper()
        keeper.value = 5
        for i = 1, 3 do
           alone:addjob(function()
              if i > 1 then print(pcall(before.file.readObject, before.file)) end
              before = keeper
              return keeper.value, i
           end, print)
           alone:synchronize()
           print(pcall(keeper.file.writeObject, keeper.file, 'more'))
        end
        alone:terminate()
        """)
    lines = out.getvalue().splitlines()
    closed = "the file message is closed"
    assert [line for line in lines if closed not in line] == ["5\t1", "5\t2", "5\t3"]
    assert len([line for line in lines if line.startswith("false\t") and closed in line]) == 5


def test_copies(run: Run) -> None:
    out = run(
        "local x = torch.zeros(3) local function show(y) print(x:sum(), y:sum()) end"
        " pool:addjob(function() x:fill(1) return x end, show) pool:synchronize()",
        "threads.serialize",
    )
    assert out == "0\t3\n"


def test_all_element_types(run: Run) -> None:
    out = run("""
    for _, kind in ipairs { 'Double', 'Float', 'Long', 'Int', 'Short', 'Byte', 'Char', 'Half' } do
       local x, e = torch[kind .. 'Tensor'](3), torch[kind .. 'Tensor']()
       pool:addjob(function() x[2] = 4 return e end, function(y)
          assert(x[2] == 4 and torch.type(y) == torch.type(x) and y:nElement() == 0)
       end)
    end
    pool:synchronize()
    """)
    assert out == ""


def test_a_resize_in_a_job_is_one_here(run: Run) -> None:
    out = run("""
    local empty, x, big = torch.Tensor(), torch.ones(2), torch.ones(1000)
    local s, view = x:storage(), big:narrow(1, 1, 2)
    pool:addjob(function() empty:resize(2, 3):fill(4) x:resize(500):fill(2) big:resize(5000):fill(3) end)
    pool:synchronize()
    print(empty:size(1), empty:size(2), empty:sum(), x:size(1), x:sum(), s:size(), big:sum(), view:sum())
    x:resize(100000):fill(1)
    pool:addjob(function() return x:sum() end, print)
    pool:synchronize()
    """)
    assert out == "2\t3\t24\t500\t1000\t500\t15000\t6\n100000\n"


def test_file_names_in_char_tensors(run: Run) -> None:
    """Loaders of 2015 kept a million names so."""
    out = run("""
    local ffi = require 'ffi'
    local names = torch.CharTensor(3, 20):zero()
    for i = 1, 3 do ffi.copy(names[i]:data(), 'file' .. i .. '.jpg') end
    for i = 1, 3 do
       pool:addjob(function(k) return ffi.string(torch.data(names[k])) end, print, i)
       pool:synchronize()
    end
    """)
    assert out == "file1.jpg\nfile2.jpg\nfile3.jpg\n"


def test_structs_of_tensors(run: Run) -> None:
    out = run("""
    local x = torch.zeros(2)
    local pointer = x:cdata()
    pool:addjob(function() torch.pushudata(pointer, 'torch.DoubleTensor'):fill(6) end)
    pool:synchronize()
    print(x:sum())
    """)
    assert out == "12\n"


def test_tensors_as_numbers(run: Run) -> None:
    out = run("""
    local ffi = require 'ffi'
    local x = torch.FloatTensor(2, 3):zero()
    local number = tonumber(ffi.cast('intptr_t', torch.pointer(x)))
    local function fill(number)
       local t = torch.pushudata(number, 'torch.FloatTensor')
       t:fill(t:sum() + 1)
       -- For the next one.
       t:retain()
       return t:size(2)
    end
    x:retain()
    for i = 1, 3 do
       pool:addjob(fill, function(columns) io.write(columns, ' ') end, number)
       pool:synchronize()
    end
    -- As it went out, and once only.
    print(x:sum(), rawequal(torch.pushudata(number, 'torch.FloatTensor'), x))
    print(pcall(torch.pushudata, number, 'torch.FloatTensor'))
    x:retain()
    x:free()
    print(pcall(torch.pushudata, number, 'torch.FloatTensor'))
    x:retain()
    print(pcall(torch.pushudata, number, 'torch.DoubleTensor'))
    print(pcall(torch.pushudata, 0/0, 'torch.DoubleTensor'))
    local struct = x:cdata()
    print(rawequal(torch.pushudata(tonumber(ffi.cast('intptr_t', struct)), 'torch.FloatTensor'), x))
    -- A tensor that only the number refers to.
    pool:addjob(function()
       local t = torch.Tensor(1000):fill(3)
       t:retain()
       return torch.pointer(t)
    end, function(number)
       collectgarbage()
       print(torch.pushudata(number, 'torch.DoubleTensor'):sum())
    end)
    pool:synchronize()
    """)
    lines = out.splitlines()
    assert lines[0] == "3 3 3 258\ttrue"
    for line in (lines[1], lines[2], lines[4]):
        assert "pushudata: no object at this address" in line
    assert "must be a torch.DoubleTensor (got torch.FloatTensor)" in lines[3]
    assert lines[5:] == ["true", "3000"]


def test_a_number_of_a_tensor_without_threads(t7: T7) -> None:
    done = t7("-e", """
    local x = torch.FloatTensor(3):fill(2)
    x:retain()
    print(rawequal(torch.pushudata(torch.pointer(x), 'torch.FloatTensor'), x))
    print(pcall(torch.pushudata, torch.pointer(x), 'torch.FloatTensor'))
    """)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("true\nfalse\t")
    assert "pushudata: no object at this address" in done.stdout


def test_storages_as_numbers(run: Run) -> None:
    """The loaders of 2014 sent batches so: the sender gives a storage away, and the receiver takes it."""
    out = run("""
    local function send(inputs)
       local ffi = require 'ffi'
       local size, kind = inputs:size(), inputs:type()
       local number = tonumber(ffi.cast('intptr_t', torch.pointer(inputs:storage())))
       inputs:cdata().storage = nil
       return { number, size, kind, inputs:dim() }
    end
    local ffi = require 'ffi'
    ffi.cdef 'void THFloatStorage_free(THFloatStorage *self); void THLongStorage_free(THLongStorage *self);'
    local function receive(object, buffer)
       local name = object[3]:match('torch.(.*)Tensor')
       buffer:resize(object[2])
       assert(buffer:type() == object[3])
       local old = ffi.cast('TH' .. name .. 'Storage*', torch.pointer(buffer:storage()))
       if old ~= nil then ffi.C['TH' .. name .. 'Storage_free'](old) end
       buffer:cdata().storage = ffi.cast('TH' .. name .. 'Storage*', object[1])
       return buffer
    end
    local inputs, labels = torch.FloatTensor(), torch.LongTensor()
    local seen = {}
    for i = 1, 6 do
       pool:addjob(function(i)
          local x, y = torch.FloatTensor(50 * i, 10):fill(i), torch.LongTensor(2):fill(i)
          collectgarbage()
          return send(x), send(y)
       end, function(a, b)
          receive(a, inputs)
          receive(b, labels)
          seen[labels[1]] = { inputs:mean(), inputs:size(1), labels:sum(), a[4] }
       end, i)
    end
    pool:synchronize()
    for i = 1, 6 do io.write(table.concat(seen[i], ' '), '; ') end
    print()
    local s = torch.DoubleStorage{1, 2, 3, 4}
    local x = torch.zeros(2, 2)
    x:cdata().storage = s:cdata()
    print(x:sum(), x:cdata().storage.size, pcall(function() x:cdata().storage = ffi.cast('void *', 64) end))
    print(pcall(function() x:cdata().storage = torch.FloatStorage(4):cdata() end))
    print(pcall(function() x:cdata().nothing = 4 end))
    print(pcall(function() return x:cdata().nothing end))
    """)
    lines = out.splitlines()
    assert lines[0] == "".join(f"{i} {50 * i} {2 * i} 0; " for i in range(1, 7))
    assert lines[1].startswith("10\t4LL\tfalse\t")
    assert "cdata: no storage was given away at this address" in lines[1]
    assert "cdata: torch.DoubleStorage expected as storage (got torch.FloatStorage)" in lines[2]
    assert "a tensor's struct has no field 'nothing'" in lines[3]
    assert "a tensor's struct has no field 'nothing'" in lines[4]


def test_memory_of_arrays(runtime: Runtime) -> None:
    array = np.zeros(4)
    runtime.globals["array"] = array
    runtime.execute("""
    threads.Threads.serialization 'threads.sharedserialize'
    local pool, array = threads.Threads(1), array
    pool:addjob(function() array:fill(3) return array end, function(again) kept = again end)
    pool:terminate()
    _G.array, array = nil, nil
    collectgarbage() collectgarbage()
    """)
    assert array.tolist() == [3, 3, 3, 3]
    assert runtime.eval("kept:sum()") == 12
    with pytest.raises(LuaError, match="cannot resize"):
        runtime.execute("kept:resize(10)")
    runtime.execute("kept = nil")


def test_memory_outlives_the_state_it_is_from(run: Run) -> None:
    out = run("""
    local kept = {}
    for i = 1, 4 do
       pool:addjob(function(k) return torch.Tensor(5000):fill(k), torch.Tensor(3):fill(k) end, function(a, b)
          kept[#kept + 1] = a
          kept[#kept + 1] = b
       end, i)
    end
    pool:terminate()
    collectgarbage() collectgarbage()
    local sum = 0
    for _, t in ipairs(kept) do sum = sum + t:mean() end
    print(sum)
    """)
    assert out == "20\n"


def test_mutexes_conditions_and_counters(run: Run) -> None:
    out = run("""
    local count, mutex, x = threads.AtomicCounter(), threads.Mutex(), torch.zeros(1)
    local condition, id = threads.Condition(), mutex:id()
    for i = 1, 8 do
       pool:addjob(function()
          local threads = require 'threads'
          local m = threads.Mutex(id)
          for k = 1, 500 do
             count:inc()
             m:lock() x[1] = x[1] + 1 m:unlock()
          end
          m:free()
       end)
    end
    pool:synchronize()
    print(count:get(), x[1], count:dec(10), count:inc(), count:set(3), count:get())
    local ready = torch.zeros(1)
    pool:addjob(function() mutex:lock() while ready[1] == 0 do condition:wait(mutex) end mutex:unlock()
       return 'seen' end, print)
    mutex:lock() ready[1] = 1 condition:signal() mutex:unlock()
    pool:synchronize()
    local safe = threads.safe(function(n) for k = 1, n do x[1] = x[1] + 1 end return n end)
    local slow = threads.safe(function() error 'inside' end, mutex)
    print(safe(10), pcall(slow))
    mutex:lock() mutex:unlock()
    mutex:free()
    pool:terminate()
    print(tostring(mutex), pcall(mutex.lock, mutex))
    print(pcall(threads.Mutex, id))
    """)
    lines = out.splitlines()
    assert lines[0] == "4000\t4000\t4000\t3990\t3" or lines[0] == "4000\t4000\t4000\t3990\tnil\t3"
    assert lines[1] == "seen" and lines[2].startswith("10\tfalse\t") and "inside" in lines[2]
    assert "was freed" in lines[3] and "no Mutex has the id" in lines[4]


def test_queues_and_threads(run: Run) -> None:
    out = run("""
    local queue, back = threads.Queue(4), threads.Queue(4)
    local thread = threads.Thread(string.format([[
       local threads = require 'threads'
       local queue, back = threads.Queue(%d), threads.Queue(%d)
       for i = 1, 3 do back:addjob(function(...) return ... end, queue:dojob()) end
    ]], queue:id(), back:id()))
    for i = 1, 3 do queue:addjob(function(a) return a * 2, 'x' end, i) end
    for i = 1, 3 do print(back:dojob()) end
    thread:free()
    queue:free() back:free()
    print(pcall(thread.free, thread))
    print(pcall(function() threads.Thread('error "alone"'):free() end))
    """)
    lines = out.splitlines()
    assert lines[:3] == ["2\tx", "4\tx", "6\tx"]
    assert "was freed" in lines[3] and "alone" in out


def test_handles_without_memory(run: Run) -> None:
    """What works on the memory of a queue was among its methods, and took any value for that memory."""
    out = run("""
    local names = { 'attempt', 'close', 'done', 'drop', 'has_space', 'put', 'safe', 'take',
       'wait_for_space' }
    local queue = threads.Queue(2)
    for _, name in ipairs(names) do assert(queue[name] == nil, name) end
    for _, kind in ipairs { 'Queue', 'Mutex', 'Condition', 'AtomicCounter' } do
       for _, wrong in ipairs { 5, torch.ByteTensor(3), {}, require('ffi').new 'int[3]' } do
          local object = threads[kind](kind == 'Queue' and 2 or nil)
          object.struct = wrong
          for _, name in ipairs { 'id', 'free', 'lock', 'unlock', 'signal', 'inc', 'addjob', 'dojob' } do
             local method = object[name]
             if method then
                local fine, why = pcall(method, object, print)
                assert(not fine and why:find 'must come before the colon', why)
             end
          end
       end
    end
    local jobs = pool.jobs
    pool.jobs = { struct = {} }
    print(pcall(pool.addjob, pool, print))
    pool.jobs = jobs
    """)
    assert out.startswith("false\t") and "must be the memory of a queue (got table {})" in out


def test_collections_cross_by_reference(run: Run) -> None:
    out = run("""
    local tds = require 'tds'
    local hash, vec = tds.Hash { a = 1, [1] = 'one', [true] = 'yes' }, tds.Vec { 3, 1, 2 }
    local counter = tds.AtomicCounter()
    local x = torch.zeros(2)
    hash.x, hash.inner = x, tds.Vec { 'v' }
    for i = 1, 4 do
       pool:addjob(function()
          for k = 1, 50 do counter:inc() end
          if i == 1 then
             hash.b, hash.a, hash.y = 'new', nil, torch.ones(3)
             hash.x:fill(4)
             hash.inner:insert('w')
             vec:insert(9)
             vec:sort(function(p, q) return p < q end)
          end
       end)
    end
    pool:synchronize()
    print(hash.a, hash.b, hash[1], hash[true], #hash, hash.y:sum(), x:sum(), hash.inner[2], #hash.inner)
    print(vec:concat(','), #vec, counter:get(), torch.type(hash))
    local keys = 0
    for key, value in pairs(hash) do keys = keys + 1 assert(value ~= nil) end
    vec:remove() vec[1] = 'first'
    pool:addjob(function() return hash, hash.inner, vec[1], #vec, vec:unpack() end, function(h, inner, ...)
       print(h == hash, inner[1], ...)
    end)
    pool:synchronize()
    hash.y, hash.inner = nil, nil
    pool:terminate()
    print(keys, #hash, hash.y)
    """)
    lines = out.splitlines()
    assert lines[0] == "nil\tnew\tone\tyes\t6\t3\t8\tw\t2"
    assert lines[1] == "1,2,3,9\t4\t200\ttds.Hash"
    assert lines[2] == "true\tv\tfirst\t3\tfirst\t2\t3"
    assert lines[3] == "6\t4\tnil"


def test_a_table_of_classes_comes_along_without_them(t7: T7) -> None:
    """A function that loads a module may hold its table; a class there raises an error where it is used."""
    out = t7("-e", """
    local threads, garden = require 'threads', {}
    torch.class('garden.Tree', garden)
    local pool = threads.Threads(1, function()
       local made, why = pcall(function() return garden.Tree() end)
       print(made, (why:match 'class .*'))
       print(pcall(function() return garden.Tree.grow end))
       garden = 'loaded'
       print(garden)
    end)
    pool:terminate()
    """)
    message = "class garden.Tree is not defined in this thread: define it in the pool's first function"
    assert out.stdout == f"false\t{message}\nfalse\t(command line):7: threads: {message}\nloaded\n"
