package io.dedup.benchmarks.jdbc;

import static java.util.Objects.requireNonNull;

import io.dedup.benchmarks.subject.IdSlots;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Types;
import java.util.Arrays;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/** Reads calls that set a parameter. Not thread-safe. */
final class Bindings {
    private final IdentityHashMap<Array, CreatedArray> arrays = new IdentityHashMap<>();
    private final IdSlots slots;

    /** @param slots which messages the calls are about */
    Bindings(IdSlots slots) {
        this.slots = slots;
    }

    /** Every array has to be registered here, because its content cannot be read. */
    void created(Array array, String type, Object[] elements) {
        arrays.put(array, new CreatedArray(type, elements.clone()));
    }

    /**
     * A call of a setter.
     *
     * @throws IllegalStateException if the call cannot be repeated
     */
    Binding read(String method, @Nullable Object[] args) {
        int position = (Integer) requireNonNull(args[0]);
        Object value = args[1];
        if (value == null) {
            return new Binding.Null(position, Types.VARBINARY);
        } else if (method.equals("setNull")) {
            return new Binding.Null(position, (Integer) value);
        } else if (value instanceof String text) {
            return new Binding.Text(position, slots.find(text.getBytes(StandardCharsets.ISO_8859_1)));
        } else if (value instanceof byte[] bytes) {
            return new Binding.Bytes(position, slots.find(bytes));
        } else if (value instanceof Array array) {
            return array(position, array);
        } else if (value instanceof Long number) {
            return new Binding.LongValue(position, number);
        } else if (value instanceof Integer number) {
            return new Binding.IntValue(position, number);
        } else if (method.equals("setObject") && args.length == 2) {
            return new Binding.Constant(position, value);
        }
        throw new IllegalStateException("cannot do again: " + method + Arrays.toString(args));
    }

    private Binding array(int position, Array array) {
        CreatedArray created = arrays.get(array);
        if (created == null) {
            throw new IllegalStateException("an array of unknown origin");
        }
        return created.elements() instanceof byte[][] bytes
                        && bytes[0] != null
                        && slots.find(bytes[0]).holdsId()
                ? new Binding.BytesArray(
                        position,
                        created.type(),
                        Arrays.stream(bytes).map(slots::find).toList())
                : new Binding.ConstantArray(position, created.type(), created.elements());
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record CreatedArray(String type, Object[] elements) {}
}
