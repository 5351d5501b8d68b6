package io.dedup.policy;

import java.util.Objects;

/** Rejects settings that are out of range. */
record Bounds(SettingNames names) {
    <T extends Comparable<T>> T between(String setting, T value, T min, T max) {
        Objects.requireNonNull(value, setting);
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(names.name(setting) + " must be from " + names.value(min) + " to "
                    + names.value(max) + ", but is " + names.value(value));
        }
        return value;
    }
}
