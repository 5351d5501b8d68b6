package io.dedup.failover.kafka;

import io.dedup.failover.load.Handling;
import io.dedup.failover.plan.Effect;
import java.util.List;

/** A store that doesn't fail, what consumers do with it, and their effects. */
interface Records extends AutoCloseable {
    Handling handling(String topic);

    List<Effect> effects();

    @Override
    void close();
}
