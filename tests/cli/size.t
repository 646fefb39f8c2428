$ smfit size --net resnet18 --sysroot notebook470 --target-batch 64 --dataset 50000
GeForce 920M (3.5), driver 470.256.02, 2.00 GiB
resnet18: 11.7 million parameters, 1.81 billion multiply-adds an image, input 3x224x224
training: batch 16, fp32, accumulate 4 steps; about 30.1 images/s (18.6 to 53.0, modelled); 1.21 GiB
of 2.00 GiB; 4.16 (1.88 - 11.3) times this machine's CPU

answer                 batch  precision  images/s            ms a batch            memory
training                  16  fp32       30.1 (18.6 - 53.0)  532 (302 - 861)     1.21 GiB
inference, throughput     16  fp32       110 (68.5 - 191)    145 (83.6 - 233)     810 MiB
inference, latency         1  fp32       72.8 (44.4 - 131)   13.7 (7.61 - 22.5)   710 MiB

memory at batch 16
  item                          usual               range
  driver's context            191 MiB    77 MiB - 305 MiB
  PyTorch and its libraries   331 MiB   113 MiB - 656 MiB
  weights                      45 MiB
  gradients                    45 MiB
  optimizer                    45 MiB
  activations                 338 MiB
  gradients of activations     98 MiB
  workspace                    15 MiB      0 MiB - 72 MiB
  allocator's rounding         30 MiB    0.0 MiB - 30 MiB
  reserve                     102 MiB
  total                      1.21 GiB  863 MiB - 1.70 GiB
  largest batch: 45 (27 even when all ranges are at their high end); with fp16-storage 83, with
  checkpointing 76

training over batch
  batch  images/s            ms a batch           memory
      1  12.4 (7.62 - 21.9)  80.9 (45.7 - 131)   809 MiB
      2  18.1 (11.1 - 31.9)  111 (62.7 - 179)    834 MiB
      3  21.4 (13.2 - 37.7)  140 (79.6 - 228)    856 MiB
      4  23.4 (14.5 - 41.3)  171 (96.8 - 277)    894 MiB
      6  26.0 (16.0 - 45.8)  231 (131 - 374)     952 MiB
      8  27.4 (16.9 - 48.4)  292 (165 - 473)    1012 MiB
     12  29.2 (18.0 - 51.4)  412 (234 - 667)    1.09 GiB
     16  30.1 (18.6 - 53.0)  532 (302 - 861)    1.21 GiB  knee
     24  31.1 (19.2 - 54.7)  772 (438 - 1251)   1.42 GiB
     32  31.6 (19.5 - 55.7)  1012 (575 - 1639)  1.65 GiB  fits only if the ranges' high ends do not come true

precisions beside fp32, at batch 16
  precision     works  PyTorch  memory  faster
  fp16-storage  yes    no         84 %  about the same: 1.04 (0.63 - 1.94)
  fp16          no     no
  amp           no     no
  int8          no     no
  fp16-storage: numbers are kept in fp16 and computed in fp32; every card from 3.5 on converts them.
  Hardly any gain by the model: only 43 % of fp32's time waits for memory. PyTorch 1.3.0 runs here,
  but its half products need a newer card.
  fp16: the card has no half arithmetic (it begins with 5.3). PyTorch 1.3.0 runs here, but its half
  products need a newer card.
  amp: cuBLAS refuses half products below 5.0 (CUBLAS_STATUS_ARCH_MISMATCH), so a framework's mixed
  precision does not run. The newest official PyTorch with kernels for this card is 1.3.0; it came
  with 1.6.0.
  int8: nothing trains in int8. PyTorch has no such kernels for GPUs.

GPU or CPU
  GPU 30.1 (18.6 - 53.0) images/s; Intel(R) Core(TM) i5-5200U CPU @ 2.20GHz, 2 cores: 7.23 (4.71 -
  9.87) images/s, modelled from what the processor can do
  the GPU is faster
  the GPU's start pays from about 10 images on

advice
- batch 16, and 4 steps of accumulation, make an effective batch of 64.
- an epoch of 50000 images takes about 28 min (16 min to 45 min).
- gradient checkpointing (torch.utils.checkpoint) lets batch 76 fit instead of 45, for about a third
  more time.
- plain SGD keeps no state: batch 47 fits instead of 45.
- images of 160 x 160 are 1.8 times as fast, and batch 88 fits.
- lighter networks of the same kind of image: mobilenet_v3_small (3.0x), squeezenet1_1 (2.2x).
- 92 % of the multiply-adds are in dense convolutions wider than 1 x 1; depthwise separable ones do
  the same with about an eighth of them, but wait for memory more.
- 57 % of the time is arithmetic, so pruning whole channels (not single weights) would pay.

for PyTorch
  batch_size = 16
  accumulation_steps = 4
  for i, (x, y) in enumerate(loader):
      # no autocast
      loss = criterion(model(x.cuda()), y.cuda()) / accumulation_steps
      loss.backward()
      if (i + 1) % accumulation_steps == 0:
          optimizer.step()
          optimizer.zero_grad(set_to_none=True)
  compare with the bill: about 614 MB of tensors are expected
  torch.cuda.reset_peak_memory_stats()  # before the first step
  print(torch.cuda.max_memory_allocated() / 1e6)  # after it

$ smfit size --net resnet18 --sysroot notebook470 --target-batch 64 --dataset 50000 --lang zh
GeForce 920M (3.5)，驱动 470.256.02, 2.00 GiB
resnet18：1169 万个参数，每张图 18.1 亿次乘加，输入 3x224x224
训练：批大小 16，fp32，累积 4 步；约 30.1 张/秒（18.6 到 53.0，建模）；2.00 GiB 中占 1.21 GiB；速度
为本机 CPU 的 4.16（1.88 - 11.3）倍

答案            批大小  精度  张/秒                毫秒/批                  显存
训练                16  fp32  30.1（18.6 - 53.0）  532（302 - 861）     1.21 GiB
推理（吞吐量）      16  fp32  110（68.5 - 191）    145（83.6 - 233）     810 MiB
推理（延迟）         1  fp32  72.8（44.4 - 131）   13.7（7.61 - 22.5）   710 MiB

批大小 16 时的显存
  项目                通常                范围
  驱动上下文       191 MiB    77 MiB - 305 MiB
  PyTorch 及其库   331 MiB   113 MiB - 656 MiB
  权重              45 MiB
  梯度              45 MiB
  优化器状态        45 MiB
  激活             338 MiB
  激活的梯度        98 MiB
  工作区            15 MiB      0 MiB - 72 MiB
  分配器取整        30 MiB    0.0 MiB - 30 MiB
  预留             102 MiB
  合计            1.21 GiB  863 MiB - 1.70 GiB
  最大批大小：45（所有范围都取高端时为 27）；用 fp16-storage 为 83，用检查点为 76

训练随批大小的变化
  批大小  张/秒                毫秒/批                 显存
       1  12.4（7.62 - 21.9）  80.9（45.7 - 131）   809 MiB
       2  18.1（11.1 - 31.9）  111（62.7 - 179）    834 MiB
       3  21.4（13.2 - 37.7）  140（79.6 - 228）    856 MiB
       4  23.4（14.5 - 41.3）  171（96.8 - 277）    894 MiB
       6  26.0（16.0 - 45.8）  231（131 - 374）     952 MiB
       8  27.4（16.9 - 48.4）  292（165 - 473）    1012 MiB
      12  29.2（18.0 - 51.4）  412（234 - 667）    1.09 GiB
      16  30.1（18.6 - 53.0）  532（302 - 861）    1.21 GiB  拐点
      24  31.1（19.2 - 54.7）  772（438 - 1251）   1.42 GiB
      32  31.6（19.5 - 55.7）  1012（575 - 1639）  1.65 GiB  仅在范围高端没有出现时才放得下

fp32 以外的精度（批大小 16）
  精度          可用  PyTorch  显存  更快
  fp16-storage  是    否       84 %  差不多: 1.04（0.63 - 1.94）
  fp16          否    否
  amp           否    否
  int8          否    否
  fp16-storage: 数以 fp16 存储、以 fp32 计算；3.5 及以上的显卡都能转换。按模型几乎没有收益：fp32 只
  有 43 % 的时间在等显存。PyTorch 1.3.0 可在此运行，但它的半精度乘积需要更新的显卡。
  fp16: 该显卡没有半精度运算（从 5.3 开始才有）。PyTorch 1.3.0 可在此运行，但它的半精度乘积需要更新
  的显卡。
  amp: 低于 5.0 时 cuBLAS 拒绝半精度乘积（CUBLAS_STATUS_ARCH_MISMATCH），因此框架的混合精度无法运
  行。含有该显卡内核的最新官方 PyTorch 是 1.3.0；此功能自 1.6.0 起才有。
  int8: 没有框架用 int8 训练。PyTorch 没有这种 GPU 内核。

GPU 还是 CPU
  GPU 30.1（18.6 - 53.0） 张/秒；Intel(R) Core(TM) i5-5200U CPU @ 2.20GHz，2 核：7.23（4.71 - 9.87）
  张/秒，按处理器的能力建模
  GPU 更快
  约从 10 张图像起，GPU 的启动时间才划算

建议
- 批大小 16 加上 4 步累积，等效批大小为 64。
- 50000 张图像的一个 epoch 约需 28 min（16 min 到 45 min）。
- 梯度检查点（torch.utils.checkpoint）可放下的批大小从 45 变为 76，时间约多三分之一。
- 普通 SGD 不保存状态：可放下的批大小从 45 变为 47。
- 160 x 160 的图像快 1.8 倍，可放下批大小 88。
- 处理同类图像的更轻的网络：mobilenet_v3_small (3.0x), squeezenet1_1 (2.2x)。
- 92 % 的乘加在大于 1 x 1 的稠密卷积中；深度可分离卷积只需约八分之一，但更受访存限制。
- 57 % 的时间是计算，因此剪掉整个通道（而不是单个权重）会有收益。

供 PyTorch 使用
  batch_size = 16
  accumulation_steps = 4
  for i, (x, y) in enumerate(loader):
      # no autocast
      loss = criterion(model(x.cuda()), y.cuda()) / accumulation_steps
      loss.backward()
      if (i + 1) % accumulation_steps == 0:
          optimizer.step()
          optimizer.zero_grad(set_to_none=True)
  与清单对照：张量约占 614 MB
  torch.cuda.reset_peak_memory_stats()  # before the first step
  print(torch.cuda.max_memory_allocated() / 1e6)  # after it

$ smfit size --net squeezenet --infer --sysroot notebook470 --layers | sed -n '/layers at/,/pool3/p'
layers at batch 6, fp32
  layer          operation   output      params 10^6  mult-adds 10^6     ms  limited by  fp16 gain  times CPU
  conv1          conv        64x111x111        0.002            21.3  2.039  memory           1.81        1.5
  relu1          relu        64x111x111                               3.070  memory           2.00        0.7
  pool1          maxpool     64x55x55                                 1.915  memory           1.99        0.7
  fire2.squeeze  conv        16x55x55          0.001             3.1  0.543  memory           1.74        0.8
  fire2.relu     relu        16x55x55                                 0.195  memory           1.93        0.7
  fire2.e1       conv        64x55x55          0.001             3.1  0.524  memory           1.89        0.8
  fire2.e1relu   relu        64x55x55                                 0.759  memory           1.98        0.7
  fire2.e3       conv        64x55x55          0.009            27.9  0.634  arithmetic       0.83        6.3
  fire2.e3relu   relu        64x55x55                                 0.759  memory           1.98        0.7
  fire2          concat      128x55x55                                1.511  memory           1.99        0.7
  fire3.squeeze  conv        16x55x55          0.002             6.2  0.976  memory           1.71        0.9
  fire3.relu     relu        16x55x55                                 0.195  memory           1.93        0.7
  fire3.e1       conv        64x55x55          0.001             3.1  0.524  memory           1.89        0.8
  fire3.e1relu   relu        64x55x55                                 0.759  memory           1.98        0.7
  fire3.e3       conv        64x55x55          0.009            27.9  0.634  arithmetic       0.83        6.3
  fire3.e3relu   relu        64x55x55                                 0.759  memory           1.98        0.7
  fire3          concat      128x55x55                                1.511  memory           1.99        0.7
  pool2          maxpool     128x27x27                                0.940  memory           1.99        0.7
  fire4.squeeze  conv        32x27x27          0.004             3.0  0.274  memory           1.65        1.6
  fire4.relu     relu        32x27x27                                 0.097  memory           1.87        0.7
  fire4.e1       conv        128x27x27         0.004             3.0  0.269  memory           1.71        1.6
  fire4.e1relu   relu        128x27x27                                0.369  memory           1.96        0.7
  fire4.e3       conv        128x27x27         0.037            26.9  0.441  arithmetic       0.63        8.7
  fire4.e3relu   relu        128x27x27                                0.369  memory           1.96        0.7
  fire4          concat      256x27x27                                0.732  memory           1.98        0.7
  fire5.squeeze  conv        32x27x27          0.008             6.0  0.490  memory           1.64        1.7
  fire5.relu     relu        32x27x27                                 0.097  memory           1.87        0.7
  fire5.e1       conv        128x27x27         0.004             3.0  0.269  memory           1.71        1.6
  fire5.e1relu   relu        128x27x27                                0.369  memory           1.96        0.7
  fire5.e3       conv        128x27x27         0.037            26.9  0.441  arithmetic       0.63        8.7
  fire5.e3relu   relu        128x27x27                                0.369  memory           1.96        0.7
  fire5          concat      256x27x27                                0.732  memory           1.98        0.7
  pool3          maxpool     256x13x13                                0.453  memory           1.97        0.7

$ smfit size --net vgg11 --sysroot notebook470 | head -n 6
GeForce 920M (3.5), driver 470.256.02, 2.00 GiB
vgg11: 133 million parameters, 7.61 billion multiply-adds an image, input 3x224x224
does not fit at batch 1: it needs about 2.21 GiB, and there are 2.00 GiB

answer                        batch  precision  images/s            ms a batch           memory
training               does not fit

$ smfit size --net vgg11 --sysroot notebook470 --lang zh | head -n 6
GeForce 920M (3.5)，驱动 470.256.02, 2.00 GiB
vgg11：1.33 亿个参数，每张图 76.1 亿次乘加，输入 3x224x224
批大小为 1 也放不下：约需 2.21 GiB，而只有 2.00 GiB

答案            批大小  精度  张/秒                毫秒/批                 显存
训练            放不下

$ smfit size --net resnet18 --assume 920m --sysroot notebook470 --precision fp16 | head -n 5
GeForce 920M (3.5), last driver 470.256.02, 2.00 GiB
resnet18: 11.7 million parameters, 1.81 billion multiply-adds an image, input 3x224x224
fp16 does not work here: the card has no half arithmetic (it begins with 5.3).

answer                 batch  precision    memory

$ smfit size --net mobilenet_v2 --assume 'GTX 1660' --sysroot notebook470 --budget 1500MB | sed -n '/precisions/,$p'
precisions beside fp32, at batch 6
  precision     works  PyTorch  memory  faster
  fp16-storage  yes    yes        79 %  likely: 1.51 (0.94 - 2.64)
  fp16          yes    yes        76 %  yes: 1.78 (1.11 - 3.06)
  amp           yes    yes        79 %  likely: 1.51 (0.94 - 2.64)
  int8          no     no
  fp16-storage: numbers are kept in fp16 and computed in fp32; every card from 3.5 on converts them.
  By the model 72 % of fp32's time waits for memory, of which half is saved. PyTorch 2.15.0 runs
  here and has it: model.half().
  fp16: works with half units; GTX 16xx and their kin report 7.5 but have no tensor cores, and some
  programs show NaN or black images in fp16 there. By the model faster arithmetic brings it. PyTorch
  2.15.0 runs here and has it: model.half().
  amp: works with half units; GTX 16xx and their kin report 7.5 but have no tensor cores, and some
  programs show NaN or black images in fp16 there. By the model 72 % of fp32's time waits for
  memory, of which half is saved. PyTorch 2.15.0 runs here and has it: torch.cuda.amp.autocast.
  int8: nothing trains in int8. PyTorch has no such kernels for GPUs.

GPU or CPU
  GPU 405 (252 - 703) images/s; Intel(R) Core(TM) i5-5200U CPU @ 2.20GHz, 2 cores: 23.0 (12.9 -
  37.5) images/s, modelled from what the processor can do
  the GPU is faster
  the GPU's start pays from about 25 images on

advice
- images of 160 x 160 are 1.7 times as fast, and batch 35 fits.
- lighter networks of the same kind of image: mobilenet_v3_small (3.0x), shufflenet_v2_x1_0 (2.1x).

for PyTorch
  batch_size = 12
  accumulation_steps = 1
  scaler = torch.cuda.amp.GradScaler()
  for i, (x, y) in enumerate(loader):
      with torch.cuda.amp.autocast():
          loss = criterion(model(x.cuda()), y.cuda()) / accumulation_steps
      scaler.scale(loss).backward()
      if (i + 1) % accumulation_steps == 0:
          scaler.step(optimizer); scaler.update()
          optimizer.zero_grad(set_to_none=True)
  compare with the bill: about 593 MB of tensors are expected
  torch.cuda.reset_peak_memory_stats()  # before the first step
  print(torch.cuda.max_memory_allocated() / 1e6)  # after it

$ smfit size --net resnet18 --assume 3.5 --sysroot notebook470 --budget 1.5GiB | head -n 10
sm_35 (3.5), last driver 470.256.02, 1.50 GiB
resnet18: 11.7 million parameters, 1.81 billion multiply-adds an image, input 3x224x224
training: batch 24, fp32; speed not known; 1.40 GiB of 1.50 GiB
only an architecture was named, so there are no times

answer                 batch  precision    memory
training                  24  fp32       1.40 GiB
inference, throughput    128  fp32       1.50 GiB
inference, latency         1  fp32        684 MiB


$ smfit size --net tiny.net --assume 920m --sysroot notebook470 --batch 4 | head -n 8
GeForce 920M (3.5), last driver 470.256.02, 2.00 GiB
tiny: 314 parameters, 221 thousand multiply-adds an image, input 3x32x32
training: batch 4, fp32; about 15879 images/s (9937 to 27062, modelled); 712 MiB of 2.00 GiB; GPU or
CPU is too close to call: 0.65 (0.21 - 2.60) times this machine's CPU

answer                 batch  precision  images/s                ms a batch           memory
training                   4  fp32       15879 (9937 - 27062)    0.25 (0.15 - 0.40)  712 MiB
inference, throughput     64  fp32       78088 (49758 - 128486)  0.82 (0.50 - 1.29)  716 MiB

$ smfit size --net unknown.onnx --assume 920m --sysroot notebook470 | head -n 3
GeForce 920M (3.5), last driver 470.256.02, 2.00 GiB
test: 108 parameters, 3.89 thousand multiply-adds an image, input 3x8x8
  not known: FancyThing; 2 layers are counted as passes over memory

$ smfit size --net cycle.onnx --assume 920m --sysroot notebook470
2> smfit: 'cycle.onnx': node 'a' waits for a value that nothing makes, or the graph has a cycle
[1]

$ smfit size --net nested.onnx --assume 920m --sysroot notebook470
2> smfit: 'nested.onnx': messages are nested deeper than 48
[1]

$ smfit size --net bad.net --assume 920m
2> smfit: 'bad.net': line 2: 'conv' needs out=
[1]

$ smfit size --net worse.net --assume 920m
2> smfit: 'worse.net': line 2: no operation 'convolution' is known
[1]

$ smfit size --net nothing.onnx --assume 920m
2> smfit: cannot open 'nothing.onnx': No such file or directory
[1]

$ smfit size --net resnet --assume 920m
2> smfit: network 'resnet' may be resnet18, resnet34, resnet50
[2]

$ smfit size --net resnet19 --assume 920m
2> smfit: no network 'resnet19' is known; the nearest is 'resnet18'
[2]

$ smfit size --assume 920m
2> smfit: 'size' needs '--net NAME', '--gemm', '--conv' or '--shapes'; see 'smfit size --help'
[2]

$ smfit size --net resnet18 --assume 920m --batch 0
2> smfit: option '--batch' takes a number from 1 to 65536, not '0'
[2]

$ smfit size --net resnet18 --assume 920m --batch 12345678901234567890
2> smfit: option '--batch' takes a number from 1 to 65536, not '12345678901234567890'
[2]

$ smfit size --net resnet18 --assume 920m --image 16000000000
2> smfit: option '--image' takes a side from 1 to 65536 or HEIGHTxWIDTH, not '16000000000'
[2]

$ smfit size --net alexnet --assume 920m --image 16
2> smfit: 'maxpool' does not fit into its input: the image is too small; it gets 192x1x1
[2]

$ smfit size --net resnet18 --assume 920m --image 60000 | head -n 4
GeForce 920M (3.5), last driver 470.256.02, 2.00 GiB
resnet18: 11.7 million parameters, 130118 billion multiply-adds an image, input 3x60000x60000
does not fit at batch 1: it needs about 1911.98 GiB, and there are 2.00 GiB


$ smfit size --net resnet18 --assume 920m --budget 4GB
2> smfit: a budget of 4000 MB is more than GeForce 920M has (2147 MB)
[2]

$ smfit size --net resnet18 --assume 920m --budget much
2> smfit: option '--budget' takes a size such as 1500MB or 1.5GiB, not 'much'
[2]

$ smfit size --net resnet18 --assume 3.5
2> smfit: how much memory 'sm_35' has is not in the tables: say --budget
[2]

$ smfit size --net resnet18 --assume 920m --train --infer
2> smfit: options '--train' and '--infer' exclude each other
[2]

$ smfit size --net resnet18 --assume 920m --precision int8
2> smfit: nothing trains in int8; --infer asks about inference
[2]

$ smfit size --net resnet18 --assume 920m --precision fp8
2> smfit: option '--precision' is auto, fp32, fp16-storage, fp16, amp or int8, not 'fp8'
[2]

$ smfit size --net resnet18 --assume 920m --assume 940m
2> smfit: 2 cards: --assume CARD names the one to answer for
[2]

$ smfit size --net resnet18 --sysroot nothing
2> smfit: no NVIDIA GPU found; --assume CARD names one
[1]

$ smfit size --net lenet5 --assume 920m --sysroot notebook470 --json | head -n 40
{
  "schema": "smfit.size",
  "version": 1,
  "tool": {
    "name": "smfit",
    "version": "0.1.0"
  },
  "basis": "modelled",
  "target": {
    "card": "GeForce 920M",
    "pci_id": "10de:1299",
    "chip": "GK208BM",
    "cc": "3.5",
    "driver": null,
    "driver_reason": "none was given",
    "last_driver": "470.256.02",
    "os": "linux",
    "notebook": true,
    "how": "assumed",
    "slot": null,
    "kernel_driver": null,
    "others": null
  },
  "network": {
    "name": "lenet5",
    "built_in": true,
    "input": "1x32x32",
    "parameters": 61706,
    "buffers": 0,
    "multiply_adds": 416520,
    "layer_count": 12,
    "passed_over": 0,
    "unknown_operators": []
  },
  "mode": "train",
  "optimizer": "momentum",
  "checkpoint": false,
  "batch": 192,
  "precision": "fp32",
  "accumulation_steps": 1,

$ smfit size --net lenet5 --assume 920m --sysroot notebook470 --plot /nonexistent/plot.svg | tail -n 1
  print(torch.cuda.max_memory_allocated() / 1e6)  # after it
2> smfit: cannot write '/nonexistent/plot.svg': No such file or directory
