/* Prints the hash of the golden scene: abut_golden [THREADS [whole]], where `whole` has no restart;
 * the environment's ABUT_SIMD sets the instruction level. Returns 1 if it differs from golden.h.
 */
#include "golden.h"

int main(int argc, char **argv)
{
    char text[SHA256_TEXT];
    const char *level = getenv("ABUT_SIMD");
    golden_need(abut_simd_choose(level), level ? level : "level");
    golden_do(argc > 1 ? atoi(argv[1]) : 1, argc < 3, text);
    printf("%s\n", text);
    return strcmp(text, GOLDEN_HASH) != 0;
}
