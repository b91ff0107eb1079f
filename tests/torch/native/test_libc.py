"""Programs that use LuaJIT's FFI themselves find the C functions they declare free."""

from __future__ import annotations

from t7shell.engine.engine import Engine


def test_programs_declare_functions_of_c_with_types_of_their_own() -> None:
    source = """
    local ffi = require 'ffi'
    ffi.cdef [[
    typedef struct { long seconds, nanoseconds; } my_time;
    int clock_gettime(int clock, my_time *now);
    int malloc(my_time *a); int memmove(my_time a); int open(my_time a); int isatty(my_time *a);
    int getpid(my_time a); int strtod(my_time a); int memchr(my_time *a); int free(int a);
    ]]
    local now = ffi.new 'my_time'
    assert(ffi.C.clock_gettime(1, now) == 0)
    local x = torch.rand(300, 300)
    x:copy(x:t())
    return torch.deserialize(torch.serialize(x)):equal(x), torch.Timer():time().real >= 0
    """
    result = Engine().execute(source)
    assert result.ok, result.report()
    assert result.values == [True, True]


def test_a_pointer_to_elements_is_the_memory_of_the_tensor(engine: Engine) -> None:
    source = "local x = torch.range(1, 6):narrow(1, 3, 2) local d = x:data() d[1] = 40 return x[2], type(d)"
    assert engine.execute(source).values == [40, "cdata"]


def test_structs_of_tensors_and_storages(engine: Engine) -> None:
    source = """
    local x = torch.FloatTensor{{1, 2, 3}, {4, 5, 6}}:t():narrow(1, 2, 2)
    local c = x:cdata()
    x = nil
    collectgarbage()
    c.storage.data[1] = 7
    local s = torch.LongStorage{8, 9}:cdata()
    return type(c), c.nDimension, tonumber(c.size[0]), tonumber(c.size[1]), tonumber(c.stride[0]),
       tonumber(c.storageOffset), c.storage.data[1], tonumber(c.storage.size), tonumber(s.data[1]),
       torch.Tensor():cdata().nDimension
    """
    assert engine.execute(source).values == ["cdata", 2, 2, 2, 1, 1, 7, 6, 9, 0]


def test_an_object_is_known_by_its_struct(engine: Engine) -> None:
    source = """
    require 'ffi'.cdef 'void takes_a_tensor(THDoubleTensor *t);'
    local x = torch.ones(3)
    local storage = torch.pushudata(x:storage():cdata(), 'torch.DoubleStorage')
    return torch.pushudata(x:cdata(), 'torch.DoubleTensor'):sum(), #storage
    """
    assert engine.execute(source).values == [3, 3]
