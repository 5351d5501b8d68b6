package io.dedup.kafka.internal.consumer;

import java.time.Duration;

/**
 * Limits of a container's consumers.
 *
 * @param maxPollInterval the longest time between two polls
 * @param maxUnfinished the maximum number of records delivered to handlers from a partition's first unfinished record
 *     on
 * @param commitsOffsets whether offsets can be committed at all: without a group they cannot, and acknowledgments have
 *     no effect
 */
public record ConsumerLimits(Duration maxPollInterval, int maxUnfinished, boolean commitsOffsets) {}
