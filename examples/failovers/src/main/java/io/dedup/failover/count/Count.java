package io.dedup.failover.count;

import io.dedup.failover.plan.Promise;
import java.util.ArrayList;
import java.util.List;

/**
 * What happened to the messages of one pass, or of several together.
 *
 * @param failovers how many there were
 * @param sent messages that the broker confirmed
 * @param copies further sends of these
 * @param effects of these
 * @param lost acknowledged without an effect
 * @param gone without an effect because the server that failed over lost a message before its delivery, or a commit
 * @param doubled effects beyond a message's first one
 * @param told of these: with an attempt above 1
 * @param forgotten of those with attempt 1: the failover may have made the store forget the message
 * @param stuck neither acknowledged nor with an effect when the bound was over
 * @param longestPauseMillis the longest time without any effect
 */
public record Count(
        int failovers,
        int sent,
        long copies,
        int effects,
        int lost,
        int gone,
        int doubled,
        int told,
        int forgotten,
        int stuck,
        long longestPauseMillis) {

    /** Both together. */
    public Count plus(Count other) {
        return new Count(
                failovers + other.failovers,
                sent + other.sent,
                copies + other.copies,
                effects + other.effects,
                lost + other.lost,
                gone + other.gone,
                doubled + other.doubled,
                told + other.told,
                forgotten + other.forgotten,
                stuck + other.stuck,
                Math.max(longestPauseMillis, other.longestPauseMillis));
    }

    /**
     * The broken promises, in words; empty if all were kept.
     *
     * @param serverMayLose whether losses of the server itself are allowed
     */
    public List<String> broken(Promise promise, boolean serverMayLose) {
        List<String> broken = new ArrayList<>();
        require(broken, lost == 0, lost + " lost");
        require(broken, stuck == 0, stuck + " stuck");
        require(broken, gone == 0 || serverMayLose, gone + " lost by the server");
        switch (promise) {
            case ONCE -> require(broken, doubled == 0, doubled + " doubled");
            case TOLD ->
                require(broken, doubled == told, doubled + " doubled, of which " + told + " with an attempt above 1");
            case FORGETS ->
                require(
                        broken,
                        doubled == told + forgotten,
                        doubled + " doubled, of which " + told + " with an attempt above 1 and " + forgotten
                                + " that the store may have forgotten");
        }
        return broken;
    }

    private static void require(List<String> broken, boolean kept, String otherwise) {
        if (!kept) {
            broken.add(otherwise);
        }
    }
}
