import { fileURLToPath } from 'node:url';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  Capability,
  Cluster,
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

/** User and group of the worker inside its container: nobody of the host. */
const USER = '10001:10001';
const CONTAINER = 'rollout';

/** Phase 4 and 7: the Fargate task that plays one shard, as locked up as Fargate can make it. */
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
    this.container(definition, props);
    this.taskRole = definition.taskRole;
    this.executionRole = definition.obtainExecutionRole();
    this.task = {
      clusterArn: cluster.clusterArn,
      taskDefinitionArn: definition.taskDefinitionArn,
      containerName: CONTAINER,
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
      // The sandbox keeps its scripts and sockets here; everything else is read-only.
      volumes: [{ name: 'tmp' }],
    });
  }

  private container(definition: FargateTaskDefinition, props: RolloutTaskProps): void {
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // initProcess reaps what the sandbox kills; it needs no capability.
    const linuxParameters = new LinuxParameters(this, 'Linux', { initProcessEnabled: true });
    linuxParameters.dropCapabilities(Capability.ALL);
    const container = definition.addContainer(CONTAINER, {
      image: this.image(props.deployment),
      user: USER,
      readonlyRootFilesystem: true,
      linuxParameters,
      environment: { ...props.environment },
      // Fargate Spot warns two minutes ahead; the worker writes what is complete within 20 s of SIGTERM.
      stopTimeout: Duration.seconds(30),
      ulimits: [{ name: UlimitName.NOFILE, softLimit: 65_536, hardLimit: 65_536 }],
      logging: LogDrivers.awsLogs({ logGroup, streamPrefix: CONTAINER }),
    });
    container.addMountPoints({ sourceVolume: 'tmp', containerPath: '/tmp', readOnly: false });
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
