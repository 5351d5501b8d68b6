package io.dedup.kafka.internal.consumer;

import java.time.Duration;

/**
 * What a container's consumers may do.
 *
 * @param maxPollInterval the longest time between two polls
 * @param maxUnfinished how many records of a partition are given to handlers from the first unfinished one on
 * @param commitsOffsets whether offsets can be committed at all: without a group they can't, and an ack means nothing
 */
public record ConsumerLimits(Duration maxPollInterval, int maxUnfinished, boolean commitsOffsets) {}
