package io.dedup.benchmarks.measure;

import java.util.function.Supplier;

/**
 * Something that is measured.
 *
 * @param threads how many work at once
 * @param workers makes a worker, ready to go; called once for each thread of each round, outside the measured time
 */
public record Contender(String name, int threads, Supplier<Worker> workers) {}
