package io.dedup.soak.consumer;

import io.dedup.soak.plan.Assignment;
import io.dedup.soak.plan.EffectFile;
import io.dedup.soak.plan.Lane;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A listener for each lane. */
final class Listeners implements AutoCloseable {
    private final List<LaneListener> all = new ArrayList<>();

    Listeners(Assignment assignment, Stores stores) throws IOException {
        for (Lane lane : Lane.values()) {
            all.add(new LaneListener(
                    lane, assignment.bootstrap(), stores.of(lane), EffectFile.open(assignment.effects(), lane)));
        }
    }

    List<LaneListener> all() {
        return all;
    }

    void start() {
        all.forEach(LaneListener::start);
    }

    @Override
    public void close() {
        all.forEach(LaneListener::close);
    }
}
