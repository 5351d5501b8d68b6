package io.dedup.simulation;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;

/**
 * The circumstances of a run: a record of enums, flags and numbers. The first constant of each enum, false and 0 are the plainest: a
 * failing run is repeated with these as far as it still fails.
 */
public interface Drawn {
    /** One circumstance counts more than all numbers together. */
    int UNLIKE_PLAIN = 1_000;

    /** The circumstances that aren't the plainest ones, and all numbers, as {@code name=value}. */
    default List<String> unlikePlain() {
        List<String> unlike = new ArrayList<>();
        for (RecordComponent component : getClass().getRecordComponents()) {
            Object value = valueOf(component);
            if (value instanceof Integer || !isPlain(value)) {
                unlike.add(component.getName() + "=" + value);
            }
        }
        return unlike;
    }

    /** The more of these circumstances aren't the plainest, and the greater the numbers, the heavier. */
    default int weight() {
        int weight = 0;
        for (RecordComponent component : getClass().getRecordComponents()) {
            Object value = valueOf(component);
            if (value instanceof Integer number) {
                weight += number;
            } else if (!isPlain(value)) {
                weight += UNLIKE_PLAIN;
            }
        }
        return weight;
    }

    private Object valueOf(RecordComponent component) {
        try {
            Method accessor = component.getAccessor();
            accessor.setAccessible(true);
            return accessor.invoke(this);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isPlain(Object value) {
        return value.equals(false)
                || (value instanceof Enum<?> constant
                        && constant == constant.getDeclaringClass().getEnumConstants()[0]);
    }
}
