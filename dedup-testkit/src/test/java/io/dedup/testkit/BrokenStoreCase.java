package io.dedup.testkit;

import io.dedup.testkit.broken.BrokenStore;
import io.dedup.testkit.fixture.StoreFixture;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** The contract of a broken store, for {@link BrokenStoresTest} to run; its name keeps it out of ordinary runs. */
@ExtendWith(BrokenStoreCase.Breakage.class)
class BrokenStoreCase extends DedupStoreContract {
    /** The configuration parameter that names the store; without one it is an intact store. */
    static final String PARAMETER = "broken";

    private final BrokenStore broken;

    BrokenStoreCase(BrokenStore broken) {
        this.broken = broken;
    }

    @Override
    protected StoreFixture newFixture() {
        return new InMemoryFixture(broken.breakage());
    }

    static final class Breakage implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == BrokenStore.class;
        }

        @Override
        public BrokenStore resolveParameter(ParameterContext parameter, ExtensionContext context) {
            String name = context.getConfigurationParameter(PARAMETER).orElse("");
            return BrokenStore.all().stream()
                    .filter(broken -> broken.toString().equals(name))
                    .findFirst()
                    .orElseGet(() -> new BrokenStore("", "intact", store -> store));
        }
    }
}
