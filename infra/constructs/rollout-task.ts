import { fileURLToPath } from 'node:url';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  Capability,
  Cluster,
  type ContainerDefinitionOptions,
  ContainerDependencyCondition,
  ContainerImage,
  ContainerInsights,
  CpuArchitecture,
  FargateTaskDefinition,
  LinuxParameters,
  LogDrivers,
  OperatingSystemFamily,
  UlimitName,
} from 'aws-cdk-lib/aws-ecs';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ENVIRONMENT_VARIABLES } from '../../shared/contracts/keys.ts';
import type { DeploymentConfig } from '../config.ts';
import { IMAGE_CONTEXT_EXCLUDES } from './image-context.ts';
import type { RolloutTask } from './iteration/integrations.ts';
import { prebuiltImage } from './prebuilt-image.ts';

export interface RolloutTaskProps {
  readonly vpc: IVpc;
  readonly securityGroup: ISecurityGroup;
  readonly deployment: DeploymentConfig;
  readonly environment: Readonly<Record<string, string>>;
  readonly logRetention: RetentionDays;
}

/** Users of the two containers: nobody of the host, and strangers to each other. */
const WORKER_USER = '10001:10001';
const SANDBOX_USER = '10002:10002';
const WORKER = 'rollout';
const SANDBOX = 'sandbox';
/** Where the containers meet; the image declares it as a volume that both may write to. */
const MEETING_FOLDER = '/run/spade';
const DOOR = `${MEETING_FOLDER}/door`;

/**
 * The sandbox's first process. `env -i` takes the variables away by which the task's credentials could be asked for; Fargate gives them to
 * every container, and an init process would keep them.
 */
const DOOR_COMMAND = [
  ...['/usr/bin/env', '-i', '/usr/bin/python3', '-I', '-S', '-B'],
  ...['/app/sandbox/python/spade_sandbox/door.py', DOOR],
];

/**
 * Phases 4 and 7: the Fargate task that plays one shard, as locked up as Fargate can make it. Two containers of one image: the worker, which
 * uses the task's role, and the sandbox, where model-written programs run under another user in a process namespace of its own
 * (docs/adr/0015).
 */
export class RolloutTaskDefinition extends Construct {
  readonly task: RolloutTask;
  readonly taskRole: IRole;
  readonly executionRole: IRole;

  constructor(scope: Construct, id: string, props: RolloutTaskProps) {
    super(scope, id);
    const cluster = new Cluster(this, 'Cluster', {
      vpc: props.vpc,
      enableFargateCapacityProviders: true,
      containerInsightsV2: ContainerInsights.ENABLED,
    });
    const definition = this.definition(props);
    this.containers(definition, props);
    this.taskRole = definition.taskRole;
    this.executionRole = definition.obtainExecutionRole();
    this.task = {
      clusterArn: cluster.clusterArn,
      taskDefinitionArn: definition.taskDefinitionArn,
      containerName: WORKER,
      subnetIds: props.vpc.isolatedSubnets.map(({ subnetId }) => subnetId),
      securityGroupIds: [props.securityGroup.securityGroupId],
    };
  }

  private definition({ deployment }: RolloutTaskProps): FargateTaskDefinition {
    const { taskVcpu, taskMemoryMb } = deployment.quotas;
    return new FargateTaskDefinition(this, 'Task', {
      cpu: taskVcpu * 1024,
      memoryLimitMiB: taskMemoryMb,
      runtimePlatform: { cpuArchitecture: CpuArchitecture.X86_64, operatingSystemFamily: OperatingSystemFamily.LINUX },
      // Sockets lie here; everything else is read-only.
      volumes: [{ name: 'meeting' }],
    });
  }

  private containers(definition: FargateTaskDefinition, props: RolloutTaskProps): void {
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const image = this.image(props.deployment);
    const add = (name: string, options: Omit<ContainerDefinitionOptions, 'image'>) => {
      const container = definition.addContainer(name, {
        image,
        readonlyRootFilesystem: true,
        // The end of either ends the task: without its sandbox a worker can play nothing.
        essential: true,
        ulimits: [{ name: UlimitName.NOFILE, softLimit: 65_536, hardLimit: 65_536 }],
        logging: LogDrivers.awsLogs({ logGroup, streamPrefix: name }),
        ...options,
      });
      container.addMountPoints({ sourceVolume: 'meeting', containerPath: MEETING_FOLDER, readOnly: false });
      return container;
    };
    const worker = add(WORKER, {
      user: WORKER_USER,
      linuxParameters: this.withoutCapabilities(WORKER),
      environment: {
        ...props.environment,
        [ENVIRONMENT_VARIABLES.door]: DOOR,
        [ENVIRONMENT_VARIABLES.taskVcpu]: String(props.deployment.quotas.taskVcpu),
        [ENVIRONMENT_VARIABLES.taskMemoryMb]: String(props.deployment.quotas.taskMemoryMb),
      },
      // Fargate Spot warns two minutes ahead; the worker writes what is complete within 20 s of SIGTERM.
      stopTimeout: Duration.seconds(30),
    });
    const sandbox = add(SANDBOX, {
      user: SANDBOX_USER,
      linuxParameters: this.withoutCapabilities(SANDBOX),
      entryPoint: DOOR_COMMAND,
      stopTimeout: Duration.seconds(30),
    });
    // Started before the worker and stopped after it, so that a worker that is told to stop can finish what it plays.
    worker.addContainerDependencies({ container: sandbox, condition: ContainerDependencyCondition.START });
  }

  private withoutCapabilities(name: string): LinuxParameters {
    const linuxParameters = new LinuxParameters(this, `${name}Linux`);
    linuxParameters.dropCapabilities(Capability.ALL);
    return linuxParameters;
  }

  private image({ images }: DeploymentConfig): ContainerImage {
    if (images.mode === 'prebuilt') {
      const { repository, tagOrDigest } = prebuiltImage(this, images.rollout);
      return ContainerImage.fromEcrRepository(repository, tagOrDigest);
    }
    return ContainerImage.fromAsset(fileURLToPath(new URL('../..', import.meta.url)), {
      file: 'functions/rollout/Dockerfile',
      platform: Platform.LINUX_AMD64,
      exclude: IMAGE_CONTEXT_EXCLUDES,
    });
  }
}
