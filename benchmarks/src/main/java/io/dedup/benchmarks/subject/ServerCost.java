package io.dedup.benchmarks.subject;

import io.dedup.benchmarks.measure.Spread;

/**
 * What the claim and the completion of a message, or the answer to its duplicate, cost the store's server.
 *
 * @param who one of {@link ContenderNames}
 * @param form one of {@link ContenderNames#FORMS}
 * @param messages whether they are new or duplicates
 * @param cpuNanos of the server's process for the connection
 * @param logBytes written to the log that makes changes durable
 * @param replacedRows versions of rows that an update or a delete has replaced
 * @param deadRows those of them that only a vacuum removes, together with their entries in the indexes
 */
public record ServerCost(
        String who,
        String form,
        String messages,
        Spread cpuNanos,
        Spread logBytes,
        Spread replacedRows,
        Spread deadRows) {}
