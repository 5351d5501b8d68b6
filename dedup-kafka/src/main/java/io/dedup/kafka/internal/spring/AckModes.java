package io.dedup.kafka.internal.spring;

import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;

/** Who acknowledges records. */
public final class AckModes {
    private AckModes() {}

    /** Whether the listener does, instead of the container. */
    public static boolean isManual(ContainerProperties properties) {
        return properties.getAckMode() == AckMode.MANUAL || properties.getAckMode() == AckMode.MANUAL_IMMEDIATE;
    }
}
