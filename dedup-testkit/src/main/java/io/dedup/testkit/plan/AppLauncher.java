package io.dedup.testkit.plan;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * The main class of the processes that a fault plan starts: calls the application's main method, and ends when the plan
 * does.
 */
public final class AppLauncher {
    private static final int PARENT_IS_GONE = 143;

    private AppLauncher() {}

    /**
     * Called by fault plans.
     *
     * @param arguments the application's main class, and its arguments
     */
    public static void main(String[] arguments) throws Throwable {
        StepStops.startedByPlan();
        Thread watch = new Thread(AppLauncher::endWithParent, "fault-plan-parent");
        watch.setDaemon(true);
        watch.start();
        Method main = Class.forName(arguments[0]).getDeclaredMethod("main", String[].class);
        main.setAccessible(true); // neither the class nor, in newer Java versions, the method needs to be public
        try {
            main.invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /**
     * The plan writes a number of steps to this pipe, after which this process is to end. Its end is closed when the plan ends, for
     * whatever reason.
     */
    private static void endWithParent() {
        try {
            int steps = System.in.read();
            while (steps >= 0) {
                StepStops.after(steps);
                steps = System.in.read();
            }
        } catch (IOException e) {
            // treated as the end
        }
        Runtime.getRuntime().halt(PARENT_IS_GONE);
    }
}
