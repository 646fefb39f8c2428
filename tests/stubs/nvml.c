/* A management library as an old card has it: it knows every card, reads its power, wants
 * permission for the temperature (4), answers all else with "not supported" (3), and lacks the
 * calls that came late. */
int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlSystemGetDriverVersion(char *text, unsigned size);
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci_id, void **card);
int nvmlDeviceGetClockInfo(void *card, int which, unsigned *value);
int nvmlDeviceGetMaxClockInfo(void *card, int which, unsigned *value);
int nvmlDeviceGetTemperature(void *card, int which, unsigned *value);
int nvmlDeviceGetPowerUsage(void *card, unsigned *value);
int nvmlDeviceGetPerformanceState(void *card, unsigned *value);

enum { NOT_SUPPORTED = 3, NO_PERMISSION = 4 };

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    static const char version[] = "340.108";
    for (unsigned i = 0; i < sizeof version && i < size; i++)
        text[i] = version[i];
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci_id, void **card)
{
    static int handle;
    *card = &handle;
    return pci_id ? 0 : NOT_SUPPORTED;
}

int nvmlDeviceGetClockInfo(void *card, int which, unsigned *value)
{
    (void)card, (void)which, (void)value;
    return NOT_SUPPORTED;
}

int nvmlDeviceGetMaxClockInfo(void *card, int which, unsigned *value)
{
    (void)card, (void)which, (void)value;
    return NOT_SUPPORTED;
}

int nvmlDeviceGetTemperature(void *card, int which, unsigned *value)
{
    (void)card, (void)which, (void)value;
    return NO_PERMISSION;
}

int nvmlDeviceGetPowerUsage(void *card, unsigned *value)
{
    (void)card;
    *value = 12345;
    return 0;
}

int nvmlDeviceGetPerformanceState(void *card, unsigned *value)
{
    (void)card, (void)value;
    return NOT_SUPPORTED;
}
