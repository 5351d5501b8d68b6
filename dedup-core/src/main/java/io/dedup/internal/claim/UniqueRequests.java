package io.dedup.internal.claim;

import io.dedup.DedupKey;
import io.dedup.adapter.Delivery;
import io.dedup.store.ClaimRequest;
import io.dedup.store.Owner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The claims to make for several deliveries with one call: the first delivery of each key, all with one owner.
 *
 * <p>A call has each key once, because the store would grant the same owner's second request as a repetition of the first:
 * both deliveries would run. All deliveries are noted as arrived before anything is decided, so that a good ID behind bad
 * ones shows in time that the topic's IDs are usable ({@link MissingIds}).
 *
 * @param first the index of the first delivery of each key, whether or not it is claimed
 * @param indexes of the deliveries to claim, ascending
 * @param deliveries the deliveries to claim
 * @param requests their requests, in the same order
 */
record UniqueRequests(
        Map<DedupKey, Integer> first, List<Integer> indexes, List<Delivery> deliveries, List<ClaimRequest> requests) {

    /** @param claimable whether a delivery is claimed at all */
    static UniqueRequests of(Claimer claimer, List<Delivery> deliveries, Predicate<Delivery> claimable) {
        Map<DedupKey, Integer> first = new HashMap<>(2 * deliveries.size());
        List<Integer> indexes = new ArrayList<>(deliveries.size());
        List<Delivery> toClaim = new ArrayList<>(deliveries.size());
        List<ClaimRequest> requests = new ArrayList<>(deliveries.size());
        Owner owner = claimer.nextOwner();
        for (int i = 0; i < deliveries.size(); i++) {
            Delivery delivery = deliveries.get(i);
            DedupKey key = claimer.arrived(delivery);
            Integer index = i; // one object for both
            if (key != null && first.putIfAbsent(key, index) == null && claimable.test(delivery)) {
                indexes.add(index);
                toClaim.add(delivery);
                requests.add(claimer.request(delivery, key, owner));
            }
        }
        return new UniqueRequests(first, indexes, toClaim, requests);
    }
}
