package io.dedup.rocketmq;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.targetOwner;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.dedup.adapter.DedupAdapter;
import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.broker.BrokerRequests;
import io.dedup.rocketmq.internal.loop.ConsumerLoop;
import io.dedup.rules.Rooms;
import java.lang.reflect.Field;
import java.util.Map;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class ArchitectureTest {
    private static final JavaClasses MODULE = new ClassFileImporter()
            .importUrl(RocketMqDedup.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    @DisplayName("packages are small and form no circle, internals are kept")
    void rooms() {
        Rooms.of(RocketMqDedup.class).check();
    }

    @Test
    @DisplayName(
            "a message is answered in one place, which has closed it before: else it is acknowledged while it runs")
    void oneClassAnswersTheBroker() {
        noClasses()
                .that(not(type(Acknowledgments.class)).and(not(type(BrokerRequests.class))))
                .should()
                .callMethodWhere(
                        targetOwner(type(BrokerRequests.class)).and(target(nameMatching("acknowledge|redeliverAfter"))))
                .check(MODULE);
        noClasses()
                .that(not(type(BrokerRequests.class)))
                .should()
                .callMethodWhere(targetOwner(assignableTo(SimpleConsumer.class))
                        .and(target(nameMatching("ack(Async)?|changeInvisibleDuration(Async)?"))))
                .check(MODULE);
    }

    @Test
    @DisplayName("what has the lock calls nobody who may wait: neither store nor broker")
    void openMessagesCallNobody() {
        noClasses()
                .that()
                .resideInAPackage("..internal.open..")
                .should()
                .dependOnClassesThat(
                        type(DedupAdapter.class).or(type(BrokerRequests.class)).or(assignableTo(SimpleConsumer.class)))
                .check(MODULE);
    }

    @Test
    @DisplayName("the parts of a loop don't know the loop, and the push listener knows nothing of loops")
    void loopsAreKnownByThoseWhoStartThem() {
        noClasses()
                .that()
                .resideInAPackage("..rocketmq.internal..")
                .and()
                .resideOutsideOfPackage("..internal.loop..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ConsumerLoop.class.getPackageName())
                .check(MODULE);
        classes()
                .that()
                .resideInAPackage("..internal.push..")
                .should()
                .onlyDependOnClassesThat()
                .resideOutsideOfPackages("..internal.loop..", "..internal.open..", "..internal.broker..")
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
                && generic.getActualTypeArguments().stream()
                        .anyMatch(argument -> argument.toErasure().isAssignableTo(Thread.class))
                && generic.toErasure().isAssignableTo(Map.class);
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
                    assertThat(((Logger) reflected.get(null)).getName())
                            .isIn(RocketMqDedup.class.getName(), SimpleConsumerLoop.class.getName());
                    loggers++;
                }
            }
        }
        assertThat(loggers).isPositive();
    }
}
