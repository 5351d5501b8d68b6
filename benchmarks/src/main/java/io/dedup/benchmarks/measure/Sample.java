package io.dedup.benchmarks.measure;

/**
 * What one round showed.
 *
 * @param messages handled
 * @param seconds from the common start until the last thread had stopped
 * @param cpuNanos that this process used meanwhile, garbage collection included; servers in other processes aren't
 * @param serverNanos that the server used meanwhile; 0 if unknown
 * @param bytes allocated meanwhile by all threads of this process, those of the driver included
 */
public record Sample(long messages, double seconds, long cpuNanos, long serverNanos, long bytes) {
    public double messagesPerSecond() {
        return messages / seconds;
    }

    public double nanosPerMessage() {
        return seconds * 1e9 / messages;
    }

    public double cpuNanosPerMessage() {
        return (double) cpuNanos / messages;
    }

    public double serverNanosPerMessage() {
        return (double) serverNanos / messages;
    }

    public double bytesPerMessage() {
        return (double) bytes / messages;
    }
}
