package io.dedup.rocketmq.remoting;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.targetOwner;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.rocketmq.remoting.internal.MessageRunner;
import io.dedup.rules.Rooms;
import java.lang.reflect.Field;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class ArchitectureTest {
    private static final JavaClasses MODULE = new ClassFileImporter()
            .importUrl(RemotingDedup.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    @DisplayName("packages are small and form no circle, internals are kept")
    void rooms() {
        Rooms.of(RemotingDedup.class).check();
    }

    @Test
    @DisplayName("a message is run in one place, whatever the listener's kind")
    void oneClassRunsMessages() {
        noClasses()
                .that(not(type(MessageRunner.class)))
                .should()
                .callMethodWhere(targetOwner(type(InPlaceRunner.Call.class)))
                .check(MODULE);
    }

    @Test
    @DisplayName("state belongs to objects, not to threads or classes")
    void stateHasAnOwner() {
        noFields().should().haveRawType(assignableTo(ThreadLocal.class)).check(MODULE);
        noFields()
                .should(be(describe("maps from threads", ArchitectureTest::isMapFromThreads)))
                .check(MODULE);
        fields().that().areStatic().should().beFinal().check(MODULE);
    }

    private static boolean isMapFromThreads(JavaField field) {
        return field.getType() instanceof JavaParameterizedType generic
                && generic.toErasure().isAssignableTo(Map.class)
                && generic.getActualTypeArguments().stream()
                        .anyMatch(argument -> argument.toErasure().isAssignableTo(Thread.class));
    }

    @Test
    @DisplayName("loggers are named after what users know, wherever the class is")
    void loggersHaveStableNames() throws Exception {
        int loggers = 0;
        for (JavaClass each : MODULE) {
            for (JavaField field : each.getFields()) {
                if (field.getRawType().isEquivalentTo(Logger.class)) {
                    Field reflected = field.reflect();
                    reflected.setAccessible(true);
                    assertThat(((Logger) reflected.get(null)).getName()).isEqualTo(RemotingDedup.class.getName());
                    loggers++;
                }
            }
        }
        assertThat(loggers).isPositive();
    }
}
