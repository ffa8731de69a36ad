/* Runs a target of the fuzzers on files: replay_TARGET FILE... */
#include "bytes.h"

#include <stdio.h>
#include <stdlib.h>

/* Larger than every input of a corpus. */
enum { MOST_BYTES = 1 << 16 };

int main(int count, char **paths)
{
    uint8_t *data = malloc(MOST_BYTES);
    int done = 0;
    for (int k = 1; data && k < count; k++) {
        FILE *file = fopen(paths[k], "rb");
        if (file) {
            const size_t size = fread(data, 1, MOST_BYTES, file);
            fclose(file);
            printf("%s\n", paths[k]);
            fflush(stdout); /* shows the file if the target aborts */
            done += LLVMFuzzerTestOneInput(data, size) == 0;
        }
    }
    free(data);
    printf("%d of %d files\n", done, count - 1);
    return done > 0 && done == count - 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
